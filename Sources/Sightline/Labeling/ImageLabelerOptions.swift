/// What an image labeler does.
public struct ImageLabelerOptions: Sendable, Hashable {
    /// The classification model.
    public var model: LocalModel
    /// Labels below this confidence are dropped. Nil, or a value outside 0…1, means the model's own: its
    /// ``LocalModel/confidenceThreshold``, otherwise the one in its sidecar or metadata, or 0 if it has none.
    public var confidenceThreshold: Float?
    /// At most this many labels, the most confident ones; a value below 1 means the default.
    public var maximumLabels = Self.defaultMaximumLabels
    /// Only these labels; nil for all.
    public var allowedLabels: Set<String>?
    /// Never these labels.
    public var deniedLabels: Set<String> = []
    /// The part of the picture to label, in pixels of the upright picture; nil for all of it.
    public var regionOfInterest: PixelRect?
    /// How a picture is fitted into the model's input, unless the model's sidecar says it. The centred square, which is
    /// the default, made MobileNet V2 right on 88 % of 1,000 ImageNet photos, squeezing on 84 %.
    public var fit = ImageFit.crop
    /// Threads of one run of the model.
    public var threads = 1
    /// How many pictures can be labelled at the same time; each worker compiles the model for itself.
    public var workers = 1

    /// What `maximumLabels` is unless it is set.
    public static let defaultMaximumLabels = 10

    /// Options with a model and defaults for all else.
    ///
    /// - Parameter model: a classifier; the built-in one knows five coarse classes and says nothing of other pictures.
    public init(model: LocalModel = .builtInClassifier) {
        self.model = model
    }
}
