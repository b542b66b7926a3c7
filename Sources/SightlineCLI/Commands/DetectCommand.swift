import ArgumentParser
import CommandLineSupport
import Sightline
import SightlineMedia

struct DetectCommand: AsyncParsableCommand, PictureCommand {
    static let configuration = CommandConfiguration(
        commandName: "detect",
        abstract: "Find the objects in pictures.",
        discussion: """
            Each object has a frame in pixels of the upright picture: x and y of its top left corner, width and height.

            \(BuiltInModels.detectorHelp)

            \(DefaultModelHelp.text)

            Examples:
              sightline detect photo.jpg --annotate found.png
              sightline detect photos/ --model coco.tflite --format csv > objects.csv
              sightline detect photo.jpg --classifier birds.tflite
              sightline detect in/ --model coco.tflite --allow person --annotate out/ \\
                --blur
              sightline detect in/ --annotate public/ --blur faces --check sheet.png
              sightline detect photos/ --model coco.tflite --crop objects/
              sightline detect photos/ --model deeplab.tflite --crop objects/ --cut-out
              sightline detect aerial.jpg --model yolox-nano-ti-lite --slice 640
              sightline detect images/ --model coco.tflite --format yolo --output dataset/
              curl -s URL | sightline detect - --format json
              find . -name '*.jpg' -print0 | sightline detect --stdin --model coco.tflite

            In JSON, a picture is {"image", "width", "height", "objects": [{"frame": {"x", "y", "width", "height"}, \
            "confidence", "classIndex", "labels": [{"text", "index", "confidence"}], "points": [{"name", "x", "y"}]}], "milliseconds": {"decoding", \
            "preprocessing", "inference", "postprocessing", "total"}}. An object's confidence is that of its first label; \
            "objectConfidence" is that of its box, if it differs. Only some models give points. A picture that failed is {"image", "error"}. If --max-objects \
            left objects out, "omitted" is their number; if the default of `sightline models use` answered, "model" is its name and "version" the first 12 digits of its SHA-256; if --allow left objects out that have no name, or only that of a group, \
            "unnamed" is theirs. Bytes of a file name that are not UTF-8 are printed as \
            \\xE9.

            \(PictureRun.exitCodes)
            """
    )

    @OptionGroup(title: "Pictures") var pictures: PictureArguments
    @OptionGroup(title: "Model and objects") var detector: DetectorArguments
    @OptionGroup(title: "Results") var output: OutputArguments<ObjectResults>
    @OptionGroup(title: "Drawings") var drawing: DrawingArguments
    @OptionGroup(title: "Drawings") var cropping: CropArguments
    @OptionGroup(title: "Speed") var concurrency: ConcurrencyArguments

    @OptionGroup(title: "Drawings") var checking: CheckArguments

    func validate() throws {
        try drawing.check()
        try checking.check(drawing)
    }

    /// The folder of the data set for training that the command writes; nil for other results.
    private var dataSet: String? {
        let isDataSet = [.yolo, .yoloOutlines].contains(output.resultFormat(default: pictures.defaultFormat))
        return isDataSet ? output.output : nil
    }

    func run() async throws {
        var command = self
        if drawing.blurFaces { command.detector.findFaces() }
        try await command.detect()
    }

    private func detect() async throws {
        let outputs = try reporting(as: .usage) {
            try PictureOutputs(drawing, crop: cropping.folder, isSingle: pictures.isSingle, dataSet: dataSet)
        }
        var options = try detector.options()
        (options.threads, options.workers) = concurrency.forPictures
        // Hidden objects have no limit: an object beyond it would stay visible.
        if drawing.hides, detector.maxObjects == nil { options.maximumObjects = .max }
        let sheet = try checking.check.map { path in
            let threshold = try loading(detector.requestedModels(options)) { [options] in try options.leastConfidence()
            }
            return CheckSheet(path: path, threshold: threshold)
        }
        if let sheet { options.scoreThreshold = sheet.leastConfidence }
        let objectDetector = try loading(detector.requestedModels(options)) { try ObjectDetector(options: options) }
        try reporting(as: .usage) {
            try cropping.check(givesMasks: objectDetector.givesMasks, objectDetector.modelFiles)
        }
        var sinkOptions = ResultSinkOptions(kind: .objects)
        sinkOptions.showsNames = !pictures.isSingle
        sinkOptions.writesTimes = !output.noTimes
        sinkOptions.model = try detector.defaultModel(objectDetector.modelFiles)
        sinkOptions.classNames = { [options] in try options.classNames() }
        let format = output.resultFormat(default: pictures.defaultFormat)
        let region = RegionCheck(detector.region.roi)
        let run = PictureRun(
            arguments: pictures,
            workers: options.workers,
            format: format,
            outputs: outputs,
            canResume: output.canResume(format),
            namelessAdvice: try detector.usesBuiltInModels ? BuiltInModels.namelessAdvice : nil,
            unchosenLimit: options.maximumObjects == nil ? ObjectDetectorOptions.defaultMaximumObjects : nil,
            sheet: sheet
        ) { image in
            region.check(image.size)
            return .objects(try await objectDetector.result(in: image))
        }
        for assumption in objectDetector.outputAssumptions where assumption.contains("assumed") {
            StandardError.report("\(objectDetector.modelFiles.name): \(assumption)")
        }
        let names = objectDetector.labelNames
        let (sink, done) = try reporting {
            try output.sink(format, sinkOptions, resumes: pictures.resume) {
                RunRecord(
                    of: self,
                    models: [objectDetector.modelFiles, objectDetector.classifierFiles].compactMap(\.self),
                    names: names.chosen + names.classified
                )
            }
        }
        do {
            try await run.run(writingTo: sink, skipping: done, printsSummary: output.printsSummary(format))
        } catch {
            try await sheet?.write()
            throw error
        }
        try await sheet?.write()
    }
}
