import ArgumentParser
import Foundation
import Sightline
import SightlineMedia

struct TrackCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "track",
        abstract: "Follow the objects of a video, a camera or a stream.",
        discussion: """
            INPUT is a video file, a folder of pictures or a pattern such as img%06d.jpg, a camera such as /dev/video0, or \
            an rtsp:// or http(s):// address. Each object has a number that it keeps from frame to frame; numbers rise and \
            are not used again. Frames are in pixels of the upright picture.

            As a table, an object has a row when it is gone; the other formats have a line or more for each frame. In JSON \
            lines a frame is {"index", "time", "width", "height", "detected", "dropped", "objects": [{"id", "frame": {"x", \
            "y", "width", "height"}, "confidence", "labels": [{"text", "index", "confidence"}], "detected", "firstSeen", \
            "age"}], "milliseconds"}; "detected" is false where boxes were carried on without the detector. mot is the \
            format of MOTChallenge, with frames from 1.

            \(BuiltInModels.detectorHelp)

            Examples:
              sightline track street.mp4 --model yolox-nano --annotate seen.mp4 --trace
              sightline track street.mp4 --every 3 --output objects.jsonl
              sightline track /dev/video0 --single --preview 8080
              sightline track door.mp4 --line 320,0,320,480 --zone '0,300 640,300 640,480 0,480'
              sightline track --detections det/det.txt --format mot --output results.txt

            With --detections the tracker runs alone, on boxes that another program found, and needs no pictures.

            Ctrl-C ends the run as the end of the video would: what was written can be used.

            Exit codes: 0 everything was done; 1 reading stopped early, as with a file that was cut off, and what came before \
            was done; 2 nothing could be \
            done, since the model or the input is missing or unusable, or results cannot be written; 64 the command line is \
            wrong; 130 or 143 stopped by Ctrl-C or SIGTERM.
            """
    )

    /// How results are printed.
    enum Format: String, ExpressibleByArgument, CaseIterable, Sendable {
        case table, jsonl, csv, mot, coco

        /// What the exporter calls it; nil for the table.
        var export: ExportFormat? { ExportFormat(rawValue: rawValue) }

        /// The format that a file of this name is expected to hold, if the name says.
        init?(nameOf file: String) {
            switch URL(filePath: file).pathExtension.lowercased() {
            case "jsonl", "ndjson": self = .jsonl
            case "csv": self = .csv
            case "json": self = .coco
            default: return nil
            }
        }
    }

    @Argument(help: "A video, a folder or pattern of pictures, a camera, or an address.", completion: .file())
    var input: String?

    @Option(
        help: """
            A .tflite detection model, an AutoML export folder, its manifest.json, or the name of an installed model \
            (default: the built-in localizer).
            """,
        completion: .file()
    )
    var model: String?

    @Option(
        help: """
            A model that names each object from its part of the picture (default: the built-in one, unless --model names \
            a detector).
            """,
        completion: .file()
    )
    var classifier: String?

    @Option(
        help: "A text file with one label a line, for the model or, if there is one, the classifier.",
        completion: .file()
    )
    var labels: String?

    @Option(
        parsing: .unconditional,
        help: "Objects must be found with this confidence to get a number, 0 to 1 (default: what the model says)."
    )
    var threshold: Float?

    @Option(help: "Only this label, in any case; repeat for several, or put commas between them.")
    var allow: [String] = []

    @Option(help: "Never this label; as with --allow.")
    var deny: [String] = []

    @Option(
        parsing: .unconditional,
        help: "Run the detector on the first of each so many frames, and carry boxes on in between."
    )
    var every = 1

    @Option(
        parsing: .unconditional,
        help: "At most this many objects a frame (default: \(ObjectDetectorOptions.defaultMaximumObjects))."
    )
    var maxObjects: Int?

    @Flag(help: "Only the most prominent object.")
    var single = false

    @Option(
        parsing: .unconditionalSingleValue,
        help: ArgumentHelp(
            "Count objects that cross this line; repeat for several. In is to the right of the way from first to second point.",
            valueName: "x1,y1,x2,y2"
        )
    )
    var line: [LineArgument] = []

    @Option(
        parsing: .unconditionalSingleValue,
        help: ArgumentHelp(
            "Count objects that enter and leave the zone with these corners; repeat for several.",
            valueName: "'x,y x,y x,y'"
        )
    )
    var zone: [ZoneArgument] = []

    @Option(
        help: ArgumentHelp(
            "Write the video with its objects drawn on it: a .mp4 file, or a folder for a picture a frame.",
            valueName: "out"
        ),
        completion: .file()
    )
    var annotate: String?

    @Flag(help: "Draw where objects came from.")
    var trace = false

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp("Show the annotated video in browsers of this machine, at this port.", valueName: "port")
    )
    var preview: Int?

    @Option(
        help: """
            How to print results (default: what the name of --output ends with, .jsonl, .csv or, for coco, .json; \
            otherwise table, or mot with --detections).
            """
    )
    var format: Format?

    @Option(help: "Write results to this file instead of standard output.", completion: .file())
    var output: String?

    @Option(help: ArgumentHelp("Begin at this time: seconds, mm:ss or hh:mm:ss.", valueName: "time"))
    var from: TimeArgument?

    @Option(help: ArgumentHelp("End at this time.", valueName: "time"))
    var to: TimeArgument?

    @Option(
        parsing: .unconditional,
        help: "Threads for each run of a model (default: one; for cameras and streams one per core, at most 4)."
    )
    var threads: Int?

    @Option(
        parsing: .unconditional,
        help: "Frames of a file that are searched at the same time (default: one per core, at most 4)."
    )
    var workers: Int?

    @Option(
        help: "Follow the boxes of this file (frame,-1,left,top,width,height,score) instead of a video.",
        completion: .file()
    )
    var detections: String?

    @Option(
        parsing: .unconditional,
        help: "Frames a second of --detections or of pictures (default: what seqinfo.ini says, otherwise 30)."
    )
    var frameRate: Double?

    func validate() throws {
        switch (input, detections) {
        case (nil, nil): throw ValidationError("Name a video, a camera or an address, or give --detections.")
        case (.some, .some): throw ValidationError("Give either an input or --detections, not both.")
        case (nil, .some) where model != nil || classifier != nil || annotate != nil || preview != nil:
            throw ValidationError(
                "--detections has no pictures: leave out --model, --classifier, --annotate, --preview."
            )
        default: break
        }
        if detections != nil, !line.isEmpty || !zone.isEmpty || from != nil || to != nil {
            throw ValidationError(
                "--line, --zone, --from and --to belong to a video; leave them out with --detections."
            )
        }
        if input == "" {
            throw ValidationError(
                "The name of the input is empty; check the command line, perhaps a variable is not set."
            )
        }
        if let output, Self.holdsPictures(output) {
            throw ValidationError("--output is for results as text; --annotate \(output) draws them.")
        }
        if labels != nil, model == nil, classifier == nil {
            throw ValidationError("--labels belongs to a model; the built-in ones have their own.")
        }
        if let threshold { try PictureArguments.check(threshold, isIn: 0...1, name: "threshold") }
        try PictureArguments.check(every, isIn: 1...100_000, name: "every")
        if let maxObjects { try PictureArguments.check(maxObjects, isIn: 1...100_000, name: "max-objects") }
        if let preview { try PictureArguments.check(preview, isIn: 0...65_535, name: "preview") }
        if let threads { try PictureArguments.check(threads, isIn: 1...256, name: "threads") }
        if let workers { try PictureArguments.check(workers, isIn: 1...256, name: "workers") }
        if let frameRate { try PictureArguments.check(frameRate, isIn: 0.001...100_000, name: "frame-rate") }
        if let from, let to, to.time <= from.time { throw ValidationError("--to must be later than --from.") }
    }

    var outputFormat: Format {
        format ?? output.flatMap(Format.init(nameOf:)) ?? (detections == nil ? .table : .mot)
    }

    /// Whether a file of this name is a video or a picture.
    private static func holdsPictures(_ file: String) -> Bool {
        let type = URL(filePath: file).pathExtension.lowercased()
        return ["mp4", "m4v", "mov", "mkv", "avi", "webm"].contains(type) || ImageFormat.isReadable(fileName: file)
    }

    func run() async throws {
        if let detections { try trackDetections(URL(filePath: detections)) }
        if let input { try await VideoRun(self, input: input).run() }
    }

    /// The tracker alone.
    private func trackDetections(_ file: URL) throws {
        var options = ObjectTrackerOptions()
        if let threshold {
            options.highThreshold = threshold
            options.lowThreshold = min(options.lowThreshold, threshold)
        }
        do {
            var output = try TrackOutput(self, memory: options.memory)
            try DetectionsRun(options: options, frameRate: frameRate).run(file) { try output.append($0) }
            try output.finish()
        } catch {
            StandardError.report(sentence(for: error))
            throw ExitStatus.nothingDone
        }
    }

    /// The options of the detector and of its stream.
    ///
    /// - Parameter isLive: whether frames come as they happen; then each should be done soon, otherwise many in a time.
    func detectorOptions(isLive: Bool) throws -> (detection: ObjectDetectorOptions, stream: StreamDetectorOptions) {
        var detection = ObjectDetectorOptions()
        if let model {
            detection.model = try ModelArgument.resolve(model, labels: classifier == nil ? labels : nil)
            detection.classifier = nil
        }
        if let classifier { detection.classifier = try ModelArgument.resolve(classifier, labels: labels) }
        detection.detectsMultipleObjects = !single
        detection.scoreThreshold = threshold
        let labels = try LabelChoice.reporting(allow: allow, deny: deny) {
            try loading(requestedModels(detection)) { try detection.labelsToChooseFrom() }
        }
        detection.allowedLabels = labels.allowed
        detection.deniedLabels = labels.denied
        let cores = min(ProcessInfo.processInfo.activeProcessorCount, 4)
        detection.threads = threads ?? (isLive ? cores : 1)
        detection.workers = isLive ? 1 : workers ?? cores
        var stream = StreamDetectorOptions(cadence: .every(every))
        if let maxObjects { stream.maximumObjects = maxObjects }
        return (detection, stream)
    }

    /// The models that were named, of what the options say.
    func requestedModels(_ options: ObjectDetectorOptions) -> [RequestedModel?] {
        [
            RequestedModel(options.model, named: model, for: .detection),
            RequestedModel(options.classifier, named: classifier, for: .labeling),
        ]
    }
}
