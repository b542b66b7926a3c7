import ArgumentParser
import CommandLineSupport
import Sightline

struct LabelCommand: AsyncParsableCommand, PictureCommand {
    static let configuration = CommandConfiguration(
        commandName: "label",
        abstract: "Say what pictures show.",
        discussion: """
            \(BuiltInModels.labelerHelp)

            Examples:
              sightline label photo.jpg
              sightline label 'holiday/*.jpg' --model plants.tflite --max-labels 3
              sightline label photos/ --model plants.tflite --format csv > labels.csv
              sightline label photo.jpg --model plants.tflite --roi 100,50,640,480

            In JSON a picture is {"image", "width", "height", "labels": [{"text", "index", "confidence"}], \
            "milliseconds": {"decoding", "preprocessing", "inference", "postprocessing", "total"}}, and one that cannot \
            be used is {"image", "error"}. A byte of a name that is not UTF-8 is printed as \\xE9.

            \(PictureRun.exitCodes)
            """
    )

    @OptionGroup var pictures: PictureArguments

    @Option(parsing: .unconditional, help: "Drop labels below this confidence, 0 to 1 (default: what the model says).")
    var threshold: Float?

    @Option(parsing: .unconditional, help: "At most this many labels a picture.")
    var maxLabels = ImageLabelerOptions.defaultMaximumLabels

    func validate() throws {
        try pictures.check(modelsGiven: [pictures.model])
        if let threshold { try PictureArguments.check(threshold, isIn: 0...1, name: "threshold") }
        try PictureArguments.check(maxLabels, isIn: 1...100_000, name: "max-labels")
    }

    func run() async throws {
        var options = ImageLabelerOptions()
        if let model = pictures.model { options.model = try ModelArgument.resolve(model, labels: pictures.labels) }
        options.confidenceThreshold = threshold
        options.maximumLabels = maxLabels
        options.regionOfInterest = pictures.roi?.rect
        if let fit = pictures.fit { options.fit = fit.imageFit }
        options.threads = pictures.threadCount
        options.workers = pictures.workers
        let model = RequestedModel(options.model, named: pictures.model, for: .labeling)
        let labels = try LabelChoice.reporting(allow: pictures.allow, deny: pictures.deny) {
            try loading([model]) { try options.labelsToChooseFrom() }
        }
        options.allowedLabels = labels.allowed
        options.deniedLabels = labels.denied
        let labeler = try loading([model]) { try ImageLabeler(options: options) }
        let run = PictureRun(arguments: pictures, kind: .labels, annotation: try pictures.annotationTarget()) { image in
            let timed = try await labeler.timedLabels(in: image)
            return (.labels(timed.value), timed.timings)
        }
        try await run.run()
    }
}
