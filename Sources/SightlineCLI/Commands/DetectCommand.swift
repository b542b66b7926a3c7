import ArgumentParser
import Sightline

struct DetectCommand: AsyncParsableCommand, PictureCommand {
    static let configuration = CommandConfiguration(
        commandName: "detect",
        abstract: "Find the objects in pictures.",
        discussion: """
            Frames are in pixels of the upright picture: x and y of the top left corner, width and height.

            \(BuiltInModels.detectorHelp)

            Examples:
              sightline detect photo.jpg --annotate found.png
              sightline detect photos/ --model coco.tflite --format csv > objects.csv
              sightline detect photo.jpg --classifier birds.tflite
              curl -s URL | sightline detect - --format json
              find . -name '*.jpg' -print0 | sightline detect --stdin --model coco.tflite

            In JSON a picture is {"image", "width", "height", "objects": [{"frame": {"x", "y", "width", "height"}, \
            "confidence", "labels": [{"text", "index", "confidence"}]}], "milliseconds": {"decoding", "preprocessing", \
            "inference", "postprocessing", "total"}}, and one that cannot be used is {"image", "error"}. Where --max-objects \
            cuts the results, "omitted" says how many objects are left out. A byte of a name that is not UTF-8 is printed \
            as \\xE9.

            \(ExitStatus.help)
            """
    )

    @OptionGroup var pictures: PictureArguments

    @Option(
        help: """
            A model that names each object from its part of the picture (default: the built-in one, unless --model names \
            a detector).
            """,
        completion: .file()
    )
    var classifier: String?

    @Option(parsing: .unconditional, help: "Drop objects below this confidence, 0 to 1 (default: what the model says).")
    var threshold: Float?

    @Option(
        parsing: .unconditional,
        help: "Drop labels of objects below this confidence, 0 to 1 (default: what the classifier says)."
    )
    var classificationThreshold: Float?

    @Option(
        parsing: .unconditional,
        help: "Of overlapping boxes of one class keep only the best above this overlap, 0 to 1."
    )
    var iouThreshold: Float?

    @Option(
        parsing: .unconditional,
        help: "At most this many objects a picture (default: \(ObjectDetectorOptions.defaultMaximumObjects))."
    )
    var maxObjects: Int?

    @Option(parsing: .unconditional, help: "At most this many labels an object.")
    var maxLabels = ObjectDetectorOptions.defaultMaximumLabelsPerObject

    @Flag(help: "Only the most prominent object of each picture.")
    var single = false

    func validate() throws {
        try pictures.check(modelsGiven: [pictures.model, classifier])
        for (name, value) in [
            ("threshold", threshold), ("classification-threshold", classificationThreshold),
            ("iou-threshold", iouThreshold),
        ] {
            if let value { try PictureArguments.check(value, isIn: 0...1, name: name) }
        }
        if let maxObjects { try PictureArguments.check(maxObjects, isIn: 1...100_000, name: "max-objects") }
        try PictureArguments.check(maxLabels, isIn: 1...100_000, name: "max-labels")
    }

    func run() async throws {
        var options = ObjectDetectorOptions()
        if let model = pictures.model {
            options.model = try ModelArgument.resolve(model, labels: classifier == nil ? pictures.labels : nil)
            options.classifier = nil
        }
        if let classifier {
            options.classifier = try ModelArgument.resolve(classifier, labels: pictures.labels)
        }
        options.detectsMultipleObjects = !single
        options.classificationThreshold = classificationThreshold
        options.maximumLabelsPerObject = maxLabels
        if let maxObjects { options.maximumObjects = maxObjects }
        options.scoreThreshold = threshold
        options.iouThreshold = iouThreshold
        options.regionOfInterest = pictures.roi?.rect
        options.fit = pictures.fit?.imageFit
        options.threads = pictures.threadCount
        options.workers = pictures.workers
        let models = [
            RequestedModel(options.model, named: pictures.model, for: .detection),
            RequestedModel(options.classifier, named: classifier, for: .labeling),
        ]
        let labels = try LabelChoice.reporting(allow: pictures.allow, deny: pictures.deny) {
            try loading(models) { try options.labelsToChooseFrom() }
        }
        options.allowedLabels = labels.allowed
        options.deniedLabels = labels.denied
        let detector = try loading(models) { try ObjectDetector(options: options) }
        let run = PictureRun(
            arguments: pictures,
            kind: .objects,
            annotation: try pictures.annotationTarget(),
            unchosenLimit: maxObjects == nil ? ObjectDetectorOptions.defaultMaximumObjects : nil
        ) { image in
            let (objects, omitted) = try await detector.countedObjects(in: image)
            return (.objects(objects.value, omitted: omitted), objects.timings)
        }
        try await run.run()
    }
}
