import Sightline
import Synchronization

/// What the options of both generations of image labelers say.
public struct LabelerSettings: Sendable {
    /// What names pictures.
    public var model: ModelSource
    /// Labels below this confidence are dropped; nil or a value outside 0…1 for `defaultThreshold`.
    public var confidenceThreshold: Float?
    /// The threshold where none is set; nil for the model's own, which is 0 if it has none.
    public var defaultThreshold: Float?
    /// At most this many labels; a value below 1 means 10.
    public var maximumLabels = ImageLabelerOptions.defaultMaximumLabels

    /// Settings with a model and defaults for all else.
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

/// One labeler of Sightline behind the facades' labelers. Its model is loaded with the first picture.
public final class LabelerEngine: Sendable {
    private let settings: LabelerSettings
    private let labeler = Mutex<ImageLabeler?>(nil)

    /// A labeler with these settings.
    public init(_ settings: LabelerSettings) {
        self.settings = settings
    }

    /// The labels of a picture, the most confident first.
    public func labels(in image: VisionImage) throws -> [Label] {
        try labeler.withLock { labeler in
            let loaded = try labeler ?? ImageLabeler(options: settings.options())
            labeler = loaded
            return try loaded.labels(in: image)
        }
    }
}
