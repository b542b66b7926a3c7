import ArgumentParser
import CommandLineSupport
import Sightline

/// The arguments of a detector, for pictures and videos.
struct DetectorArguments: ParsableArguments, Sendable {
    @OptionGroup var model: ModelArguments

    @Option(
        help: """
            A model that labels each object from its part of the picture (default: the built-in classifier, unless --model \
            names a detector).
            """,
        completion: .modelOrFile
    )
    var classifier: String?

    @Option(
        parsing: .unconditionalSingleValue,
        help: ArgumentHelp(
            """
            Drop objects below this confidence, 0 to 1 (default: the model's threshold). Repeat it for single labels: \
            --threshold 0.4 --threshold person=0.6. In a video, an object needs the confidence once to get an id.
            """,
            valueName: "threshold"
        )
    )
    var threshold: [ThresholdArgument] = []

    @Option(
        parsing: .unconditionalSingleValue,
        help: ArgumentHelp(
            """
            Drop labels of objects below this confidence, 0 to 1 (default: the classifier's threshold). Repeat it for single \
            labels, as for --threshold.
            """,
            valueName: "threshold"
        )
    )
    var classificationThreshold: [ThresholdArgument] = []

    @Option(
        parsing: .unconditional,
        help: "Of boxes of one class that overlap by more than this, keep only the best, 0 to 1 (default: the model's)."
    )
    var iouThreshold: Float?

    @Flag(
        help: "Overlapping boxes of different classes also count as one object: no animal is both a cat and a dog."
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
    @OptionGroup var slicing: SliceArguments

    func validate() throws {
        try model.check(others: classifier, nameForCheck)
        _ = try (scoreThresholds, labelThresholds)
        if let iouThreshold { try check(iouThreshold, isIn: 0...1, name: "iou-threshold") }
        if let maxObjects { try check(maxObjects, isIn: 1...100_000, name: "max-objects") }
        try check(maxLabels, isIn: 1...100_000, name: "max-labels")
    }

    /// The thresholds of objects.
    var scoreThresholds: Thresholds { get throws { try Thresholds(threshold, of: "--threshold") } }

    private var labelThresholds: Thresholds {
        get throws { try Thresholds(classificationThreshold, of: "--classification-threshold") }
    }

    /// Whether the detector is that of faces, which `--model faces` and `--blur faces` choose.
    var findsFaces: Bool { model.namesFaces }

    /// Lets the detector of faces answer, or the faces of the model that the command line names.
    mutating func findFaces() {
        if model.model == nil { model.model = CatalogModel.faces } else if !findsFaces { filter.allow = ["face"] }
    }

    /// The options of the detector, except threads and workers.
    ///
    /// - Parameter optimizes: whether a model is rewritten so that it runs faster, unless the command line says.
    /// - Throws: an exit code after a message.
    func options(optimizes: Bool = false) throws -> ObjectDetectorOptions {
        var options = ObjectDetectorOptions()
        // With a classifier, the labels belong to the classifier.
        if findsFaces {
            options = .faces(try CatalogModel.faceDetector())
        } else if let name = model.name {
            options.model = try model.resolve(name, withLabels: classifier == nil)
        } else if let chosen = try defaultModel {
            options.model = model.resolve(chosen, withLabels: classifier == nil)
        }
        if let classifier { options.classifier = try model.resolve(classifier) }
        options.optimizesModel = model.optimize ?? optimizes
        options.detectsMultipleObjects = !single
        options.classificationThreshold = try labelThresholds.usual
        options.maximumLabelsPerObject = maxLabels
        if let maxObjects { options.maximumObjects = maxObjects }
        options.scoreThreshold = try scoreThresholds.usual ?? options.scoreThreshold
        options.iouThreshold = iouThreshold
        options.suppressesAcrossClasses = agnosticNms
        options.regionOfInterest = region.roi?.rect
        options.slices = slicing.slices ?? options.slices
        options.fit = region.fit?.imageFit
        try addLabels(to: &options)
        return options
    }

    /// Adds the arguments about single labels. The model is read only if there are any.
    private func addLabels(to options: inout ObjectDetectorOptions) throws {
        let (ofObjects, ofLabels) = try (scoreThresholds, labelThresholds)
        guard filter.hasLabels || ofObjects.hasLabels || ofLabels.hasLabels else { return }
        let names = try loading(requestedModels(options)) { [options] in try options.labelNames() }
        try reporting(as: .usage) {
            let choice = try filter.choice(among: names.chosen)
            (options.allowedLabels, options.deniedLabels) = (choice.allowed, choice.denied)
            if ofObjects.hasLabels, names.detected.isEmpty, !names.classified.isEmpty {
                throw InputError(
                    reason: """
                        --threshold cannot name labels, because the model finds objects of any kind; \
                        --classification-threshold limits the labels that its classifier adds.
                        """
                )
            }
            options.scoreThresholds = try ofObjects.byLabel(among: names.detected)
            options.classificationThresholds = try ofLabels.byLabel(among: names.classified)
        }
    }

    /// The models in the options that the command line named.
    func requestedModels(_ options: ObjectDetectorOptions) -> [RequestedModel?] {
        [
            RequestedModel(options.model, named: try? detectorName, for: .detection),
            RequestedModel(options.classifier, named: classifier, for: .labeling),
        ]
    }
}
