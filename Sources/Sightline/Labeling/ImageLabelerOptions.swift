/// The model of an image labeler, and the labels that it reports.
public struct ImageLabelerOptions: Sendable, Hashable {
    /// The classification model.
    public var model: LocalModel
    /// Labels below this confidence are dropped. Nil, or a value outside 0…1, means the model's own threshold: its
    /// ``LocalModel/confidenceThreshold``, otherwise the threshold in its sidecar or metadata, otherwise 0.
    public var confidenceThreshold: Float?
    /// Other thresholds than ``confidenceThreshold`` for some labels. Values outside 0…1 are ignored.
    public var confidenceThresholds: [String: Float] = [:]
    /// At most this many labels, the most confident of them; a value below 1 means the default.
    public var maximumLabels = Self.defaultMaximumLabels
    /// Only these labels; nil for all.
    public var allowedLabels: Set<String>?
    /// Never these labels.
    public var deniedLabels: Set<String> = []
    /// The part of the picture to label, in pixels of the upright picture; nil for all of it.
    public var regionOfInterest: PixelRect?
    /// The fit of a picture into the model's input, unless the model's sidecar gives a fit. With the centered square, the
    /// default, MobileNet V2 was right on 88 % of 1,000 ImageNet photos; with the stretched picture on 84 %.
    public var fit = ImageFit.crop
    /// Whether the model is rewritten so that it runs faster, if possible (`ModelOptimizer`). Off by default, because answers
    /// may differ a little. The rewritten model is kept in the folder `sightline/optimized` of the user's cache folder, so only
    /// the first use takes tens of milliseconds longer.
    public var optimizesModel = false
    /// Threads of one run of the model.
    public var threads = 1
    /// The number of pictures that are labeled at the same time; each worker compiles the model for itself.
    public var workers = 1

    /// The default of `maximumLabels`.
    public static let defaultMaximumLabels = 10

    /// Creates options with a model, and defaults for the rest.
    ///
    /// - Parameter model: a classifier; the built-in labeler by default.
    public init(model: LocalModel = .builtInLabeler) {
        self.model = model
    }
}
