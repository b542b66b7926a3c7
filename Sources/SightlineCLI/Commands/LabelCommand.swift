import ArgumentParser
import CommandLineSupport
import Sightline
import SightlineMedia

struct LabelCommand: AsyncParsableCommand, PictureCommand {
    static let configuration = CommandConfiguration(
        commandName: "label",
        abstract: "Classify pictures.",
        discussion: """
            \(BuiltInModels.labelerHelp)

            Examples:
              sightline label photo.jpg
              sightline label 'holiday/*.jpg' --model plants.tflite --max-labels 3
              sightline label photos/ --model plants.tflite --format csv > labels.csv
              sightline label photo.jpg --model plants.tflite --roi 100,50,640,480
              sightline label photos/ --sort sorted/

            In JSON, a picture is {"image", "width", "height", "labels": [{"text", "index", "confidence"}], \
            "milliseconds": {"decoding", "preprocessing", "inference", "postprocessing", "total"}}. If no label reached its \
            threshold, "guess" is the best label below it, which is not a result. A picture that failed is {"image", "error"}. Bytes of a file name that are not UTF-8 are printed as \\xE9.

            \(PictureRun.exitCodes)
            """
    )

    @OptionGroup(title: "Pictures") var pictures: PictureArguments
    @OptionGroup(title: "Model") var model: ModelArguments

    @Option(
        parsing: .unconditionalSingleValue,
        help: ArgumentHelp(
            """
            Drop labels below this confidence, 0 to 1 (default: the model's threshold). Repeat it for single labels: \
            --threshold 0.4 --threshold rose=0.6.
            """,
            valueName: "threshold"
        )
    )
    var threshold: [ThresholdArgument] = []

    @Option(parsing: .unconditional, help: "Report at most this many labels for each picture.")
    var maxLabels = ImageLabelerOptions.defaultMaximumLabels

    @Option(
        help: ArgumentHelp(
            """
            Copy each picture into a folder of its best label below this folder, for example sorted/dog/photo.jpg; a picture without \
            a label goes into sorted/unlabeled.
            """,
            valueName: "folder"
        ),
        completion: .directory
    )
    var sort: String?

    @OptionGroup(title: "Labels") var filter: LabelFilterArguments
    @OptionGroup(title: "Pictures") var region: RegionArguments
    @OptionGroup(title: "Results") var output: OutputArguments<LabelResults>
    @OptionGroup(title: "Drawings") var drawing: DrawingArguments
    @OptionGroup(title: "Speed") var concurrency: ConcurrencyArguments

    func validate() throws {
        try model.check()
        try drawing.check()
        _ = try thresholds
        try check(maxLabels, isIn: 1...100_000, name: "max-labels")
        if drawing.blur || drawing.blurFaces { throw ValidationError("--blur needs objects; use `sightline detect`.") }
    }

    /// The confidence from which the best of the allowed labels is worth a hint.
    private static let leastAllowedGuess: Float = 0.05

    private var thresholds: Thresholds { get throws { try Thresholds(threshold, of: "--threshold") } }

    func run() async throws {
        let outputs = try reporting(as: .usage) {
            try PictureOutputs(drawing, sort: sort, isSingle: pictures.isSingle)
        }
        var options = ImageLabelerOptions()
        if let local = try model.localModel() { options.model = local }
        options.optimizesModel = model.optimize ?? false
        let thresholds = try thresholds
        options.confidenceThreshold = thresholds.usual
        options.maximumLabels = maxLabels
        options.regionOfInterest = region.roi?.rect
        if let fit = region.fit { options.fit = fit.imageFit }
        (options.threads, options.workers) = concurrency.forPictures
        let requested = RequestedModel(options.model, named: model.name, for: .labeling)
        if filter.hasLabels || thresholds.hasLabels {
            let names = try loading([requested]) { [options] in try options.labelNames() }
            try reporting(as: .usage) {
                let choice = try filter.choice(among: names)
                (options.allowedLabels, options.deniedLabels) = (choice.allowed, choice.denied)
                options.confidenceThresholds = try thresholds.byLabel(among: names)
            }
        }
        let labeler = try loading([requested]) { try ImageLabeler(options: options) }
        var sinkOptions = ResultSinkOptions(kind: .labels)
        sinkOptions.showsNames = !pictures.isSingle
        sinkOptions.writesTimes = !output.noTimes
        let format = output.resultFormat(default: pictures.defaultFormat)
        let region = RegionCheck(region.roi)
        let allowsSome = !filter.allow.isEmpty
        let run = PictureRun(
            arguments: pictures,
            workers: options.workers,
            format: format,
            outputs: outputs,
            canResume: output.canResume(format)
        ) { image in
            region.check(image.size)
            var result = try await labeler.result(in: image)
            // Its own threshold would have to change for this label alone.
            if thresholds.hasLabels { result.guess = nil }
            // The best of a few allowed labels says nothing about the picture if its confidence is very low.
            if allowsSome, result.guess?.confidence ?? 0 < Self.leastAllowedGuess { result.guess = nil }
            return .labels(result)
        }
        let (sink, done) = try reporting {
            try output.sink(format, sinkOptions, resumes: pictures.resume) {
                RunRecord(of: self, models: [labeler.modelFiles], names: labeler.labelNames)
            }
        }
        try await run.run(writingTo: sink, skipping: done, printsSummary: output.printsSummary(format))
    }
}
