import Sightline
import Synchronization

/// What the options of both generations of image labelers say.
package struct LabelerSettings: Sendable {
    /// What names pictures.
    package var model: ModelSource
    /// Labels below this confidence are dropped; nil or a value outside 0…1 for `defaultThreshold`.
    package var confidenceThreshold: Float?
    /// The threshold where none is set; nil for the model's own, which is 0 if it has none.
    package var defaultThreshold: Float?
    /// At most this many labels; a value below 1 means 10.
    package var maximumLabels = ImageLabelerOptions.defaultMaximumLabels

    /// Settings with a model and defaults for all else.
    package init(model: ModelSource) {
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
package final class LabelerEngine: Sendable {
    private let settings: LabelerSettings
    private let labeler = Mutex<ImageLabeler?>(nil)

    /// A labeler with these settings.
    package init(_ settings: LabelerSettings) {
        self.settings = settings
    }

    /// The labels of a picture, the most confident first.
    package func labels(in image: VisionImage) throws -> [Label] {
        try labeler.withLock { labeler in
            let loaded = try labeler ?? ImageLabeler(options: settings.options())
            labeler = loaded
            return try loaded.results(in: image)
        }
    }
}
