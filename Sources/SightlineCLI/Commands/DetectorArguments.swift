import ArgumentParser
import Sightline

/// The arguments of a detector, for pictures and videos.
struct DetectorArguments: ParsableArguments, Sendable {
    @OptionGroup var model: ModelArguments

    @Option(
        help: """
            A model that labels each object from its part of the picture (default: the built-in classifier, unless --model \
            names a detector).
            """,
        completion: .file()
    )
    var classifier: String?

    @Option(
        parsing: .unconditional,
        help: """
            Drop objects below this confidence, 0 to 1 (default: the model's threshold). In a video, an object needs it once \
            to get an id.
            """
    )
    var threshold: Float?

    @Option(
        parsing: .unconditional,
        help: "Drop labels of objects below this confidence, 0 to 1 (default: the classifier's threshold)."
    )
    var classificationThreshold: Float?

    @Option(
        parsing: .unconditional,
        help: "Of boxes of one class that overlap by more than this, keep only the best, 0 to 1 (default: the model's)."
    )
    var iouThreshold: Float?

    @Flag(
        help: "Boxes of different classes that overlap count as one object too: no animal is both a cat and a dog."
    )
    var agnosticNms = false

    @Option(
        parsing: .unconditional,
        help:
            "Report at most this many objects in a picture or frame (default: \(ObjectDetectorOptions.defaultMaximumObjects))."
    )
    var maxObjects: Int?

    @Option(parsing: .unconditional, help: "Report at most this many labels for each object.")
    var maxLabels = ObjectDetectorOptions.defaultMaximumLabelsPerObject

    @Flag(help: "Report only the most prominent object.")
    var single = false

    @OptionGroup var filter: LabelFilterArguments
    @OptionGroup var region: RegionArguments

    func validate() throws {
        try model.check(others: classifier)
        for (name, value) in [
            ("threshold", threshold), ("classification-threshold", classificationThreshold),
            ("iou-threshold", iouThreshold),
        ] {
            if let value { try check(value, isIn: 0...1, name: name) }
        }
        if let maxObjects { try check(maxObjects, isIn: 1...100_000, name: "max-objects") }
        try check(maxLabels, isIn: 1...100_000, name: "max-labels")
    }

    /// The options of the detector, except threads and workers.
    ///
    /// - Throws: an exit code after a message.
    func options() throws -> ObjectDetectorOptions {
        var options = ObjectDetectorOptions()
        if let name = model.model {
            // With a classifier, the labels belong to the classifier.
            options.model = try model.resolve(name, withLabels: classifier == nil)
            options.classifier = nil
        }
        if let classifier { options.classifier = try model.resolve(classifier) }
        options.optimizesModel = model.optimize
        options.detectsMultipleObjects = !single
        options.classificationThreshold = classificationThreshold
        options.maximumLabelsPerObject = maxLabels
        if let maxObjects { options.maximumObjects = maxObjects }
        options.scoreThreshold = threshold
        options.iouThreshold = iouThreshold
        options.suppressesAcrossClasses = agnosticNms
        options.regionOfInterest = region.roi?.rect
        options.fit = region.fit?.imageFit
        let labels = try filter.choice {
            try loading(requestedModels(options)) { try options.labelsToChooseFrom() }
        }
        options.allowedLabels = labels.allowed
        options.deniedLabels = labels.denied
        return options
    }

    /// The models in the options that the command line named.
    func requestedModels(_ options: ObjectDetectorOptions) -> [RequestedModel?] {
        [
            RequestedModel(options.model, named: model.model, for: .detection),
            RequestedModel(options.classifier, named: classifier, for: .labeling),
        ]
    }
}
