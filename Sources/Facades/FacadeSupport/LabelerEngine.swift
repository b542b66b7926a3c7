import Sightline

/// The settings of an image labeler, shared by ML Kit's and Firebase's options.
public struct LabelerSettings: Sendable {
    /// The model that labels pictures.
    public var model: ModelSource
    /// Labels below this confidence are dropped. Nil, or a value outside 0…1, means `defaultThreshold`.
    public var confidenceThreshold: Float?
    /// The threshold if `confidenceThreshold` is not set. Nil means the model's own threshold, or 0 if it has no
    /// threshold.
    public var defaultThreshold: Float?
    /// The maximum number of labels; a value below 1 means 10.
    public var maximumLabels = ImageLabelerOptions.defaultMaximumLabels

    /// Creates settings with a model and defaults for everything else.
    public init(model: ModelSource) {
        self.model = model
    }

    fileprivate func options() throws -> ImageLabelerOptions {
        var options = ImageLabelerOptions(model: try model.model())
        let threshold = confidenceThreshold.flatMap { (0...1).contains($0) ? $0 : nil }
        options.confidenceThreshold = threshold ?? defaultThreshold
        options.maximumLabels = maximumLabels
        return options
    }
}

/// The Sightline labeler behind the labelers of the facades. The first picture loads its model.
public final class LabelerEngine: Sendable {
    private let labeler: OnFirstUse<ImageLabeler>

    /// Creates a labeler.
    public init(_ settings: LabelerSettings) {
        labeler = OnFirstUse { try ImageLabeler(options: settings.options()) }
    }

    /// The labels of a picture, most confident first.
    public func labels(in image: VisionImage) throws -> [Label] {
        try labeler.use { try $0.labels(in: image) }
    }
}
