import ArgumentParser
import Sightline

struct DetectCommand: AsyncParsableCommand {
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
              find . -name '*.jpg' | sightline detect --stdin --model coco.tflite

            In JSON a picture is {"image", "width", "height", "objects": [{"frame": {"x", "y", "width", "height"}, \
            "confidence", "labels": [{"text", "index", "confidence"}]}], "milliseconds": {"decoding", "preprocessing", \
            "inference", "postprocessing", "total"}}, and one that cannot be used is {"image", "error"}.

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

    @Option(help: "Drop objects below this confidence, 0 to 1 (default: what the model says).")
    var threshold: Float?

    @Option(help: "Drop labels of objects below this confidence, 0 to 1 (default: what the classifier says).")
    var classificationThreshold: Float?

    @Option(help: "Of overlapping boxes of one class keep only the best above this overlap, 0 to 1.")
    var iouThreshold: Float?

    @Option(help: "At most this many objects a picture.")
    var maxObjects = ObjectDetectorOptions.defaultMaximumObjects

    @Option(help: "At most this many labels an object.")
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
        try PictureArguments.check(maxObjects, isIn: 1...100_000, name: "max-objects")
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
        options.maximumObjects = maxObjects
        options.scoreThreshold = threshold
        options.iouThreshold = iouThreshold
        options.allowedLabels = pictures.allow.isEmpty ? nil : Set(pictures.allow)
        options.deniedLabels = Set(pictures.deny)
        options.regionOfInterest = pictures.roi?.rect
        options.fit = pictures.fit?.imageFit
        options.threads = pictures.threadCount
        options.workers = pictures.workers
        let detector = try loading { try ObjectDetector(options: options) }
        let run = PictureRun(arguments: pictures, kind: .objects, annotation: try pictures.annotationTarget()) {
            image in
            let timed = try await detector.timedObjects(in: image)
            return (.objects(timed.value), timed.timings)
        }
        try await run.run()
    }
}
