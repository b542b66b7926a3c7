import ArgumentParser
import CommandLineSupport
import Foundation
import Sightline
import SightlineMedia

struct TrackCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "track",
        abstract: "Track the objects of videos, a camera or a stream.",
        discussion: """
            An input is a video file, a folder of videos, a folder of pictures or a pattern such as img%06d.jpg or '*.jpg', a \
            camera such as /dev/video0, an rtsp:// or http(s):// address, or - for a video on standard input. Several pictures \
            are the frames of one video. A camera or a stream has no end, so it is the only input. Each object has an id that it \
            keeps from frame to frame; ids increase and are never reused. Frames are in pixels of the upright picture.

            Each of several videos is a separate stream with its own ids. Then --output, --events, --counts, --annotate and \
            --crop name folders, which get a file or a folder for each video under its name, for example results/a.mp4.jsonl and seen/a.mp4.

            A video on standard input is Matroska, MPEG-TS, MJPEG, or MP4 with its index in front. The annotated video has the \
            sound of a file, but not of standard input.

            A line counts each object once in each direction. A zone counts each object once that enters and once that leaves; an \
            object that is inside when it is first seen began inside. A box must be on the other side in two frames with \
            detection, so a box that flickers counts nothing.

            In a table, an object gets a row once it is gone; the other formats have a record for each frame. In JSON, a frame \
            is {"index", "time", "width", "height", "detected", "dropped", "objects": [{"id", "frame": {"x", "y", "width", \
            "height"}, "confidence", "classIndex", "labels": [{"text", "index", "confidence"}], "detected", "firstSeen", \
            "age"}], "milliseconds"}. "detected" is false for a frame without the detector, on which the tracker predicts the \
            boxes, or with --motion keeps them. A frame with errors, such as lost bits, has "damaged": true. A frame in which something \
            happened has "events": [{"event", "time", "id", "label"}], with the "line" and "direction" of "crossed", and the "zone" of \
            "entered", "left" and others, and the "thing" of "state", whose label is the state. If the default of `sightline models use` answered, "model" is its name and "version" the first 12 digits of its SHA-256.

            \(BuiltInModels.detectorHelp)

            \(DefaultModelHelp.text)

            Examples:
              sightline track street.mp4 --annotate seen.mp4 --trace
              sightline track street.mp4 --annotate public.mp4 --blur
              sightline track street.mp4 --annotate public.mp4 --blur faces \\
                --check sheet.png
              sightline track street.mp4 --every 3 --output objects.jsonl
              sightline track two-hours.mp4 --fps 1 --format csv --output objects.csv
              sightline track two-hours.mp4 --keyframes
              sightline track yard.mp4 --annotate heat.png --trace
              sightline track street.mp4 --offline --output all.csv --annotate seen.mp4
              sightline track videos/ --output results/ --annotate seen/
              ffmpeg -i street.avi -f matroska - | sightline track - --format jsonl
              sightline track a.mp4 --roi 0,200,1280,520 --crop objects/
              sightline track /dev/video0 --single --preview 8080
              sightline track rtsp://door.local/ --motion --camera fixed --format jsonl
              sightline track door.mp4 --line 320,0,320,480 --zone '0,300 640,300 640,480'
              sightline track door.mp4 --line entrance=320,0,320,480 --events door.csv
              sightline track hall.mp4 --model pose.tflite --line 0,400,640,400 --by feet
              sightline track yard.mp4 --state 'gate: region=90,40,200,200; model=gate'
              sightline track rtsp://door.local/ --line 320,0,320,480 --counts hours.csv
              sightline track rtsp://door.local/ --mqtt mqtt://hub.local --home-assistant
              sightline track rtsp://door.local/ --webhook https://example.org/events
              sightline track --detections det/det.txt --format mot --output results.txt

            With --stdin-format frames, a program sends the frames itself, and gets a line of JSON for each before it sends the next: \
            a line with the number of a picture's bytes, a space and the time of the frame in seconds, and then the bytes. A frame \
            that cannot be read is {"image", "error"}, and the stream continues.

            With --detections, the tracker runs alone on boxes of another program and needs no pictures.

            With --offline, a file is read to its end before the first result. Memory holds boxes but no pictures: about 25 MB for an \
            hour of video, and 35 MB more for each ten objects that are in view all the time.

            Ctrl-C ends the run like the end of the video does; the results so far are complete.

            \(exitCodes)
            """
    )

    private static let exitCodes = ExitStatus.help(
        success: "the whole input is done; damaged frames and pictures are counted and named",
        incomplete:
            """
            reading stopped early, for example because the file is cut off, and everything before that point is done, or some of \
            several videos failed, or --mqtt or --webhook did not deliver all events
            """,
        failure: "nothing is done, because the model or the input is missing or unusable, or results cannot be written",
        signals: "130 or 143 Ctrl-C or SIGTERM stopped the run"
    )

    @Argument(
        help: ArgumentHelp(
            "Videos, folders of videos, a folder or pattern of pictures, a camera, an address, or - for standard input.",
            valueName: "input"
        ),
        completion: .file()
    )
    var inputs: [String] = []

    @OptionGroup var exchange: FrameExchangeArguments

    @OptionGroup(title: "Model and objects") var detector: DetectorArguments

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp(
            """
            Run the detector on only one of every N frames, the one that needs the least decoding, and predict boxes on the others.
            """,
            valueName: "n"
        )
    )
    var every = 1

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp(
            """
            Analyze at most this many frames in a second of video and skip the others; times and frame numbers stay those of the video. An \
            object that moves further than its own size between two frames gets another id.
            """,
            valueName: "rate"
        )
    )
    var fps: Double?

    @Flag(
        help: """
            Analyze only key frames, which decode without other frames, to see within seconds what a long video shows. Objects get their ids in \
            the first key frame that shows them.
            """
    )
    var keyframes = false

    @Flag(
        help: """
            Run the detector only while the picture changes by more than its noise, and at least every two seconds. For \
            cameras that stand still; objects that stop keep their boxes and ids.
            """
    )
    var motion = false

    @Option(
        help:
            "Whether the camera may move: auto estimates its motion, fixed takes every motion for that of the objects."
    )
    var camera = CameraArgument.auto

    @Option(
        help: """
            Decode the video by software, or by the graphics processor (vaapi). If that cannot decode a video, software does, and \
            the command says so.
            """
    )
    var decoder: VideoDecoder = .software

    @Flag(help: "Also tell objects apart by their colors: fewer ids change where people cross or frames are few.")
    var appearance = false

    @Flag(
        help: ArgumentHelp(
            """
            Decide at the end of the video: parts of a track are joined, gaps filled, boxes smoothed, and short-lived objects dropped; lines and \
            zones count what remains. For files only. Pictures come from a second reading of the file.
            """
        )
    )
    var offline = false

    @Option(
        parsing: .unconditionalSingleValue,
        help: ArgumentHelp(
            """
            Count the objects that cross this line. "In" is to the right of the way from the first point to the second. A name may come \
            in front, as in door=320,0,320,480. Repeatable.
            """,
            valueName: "x1,y1,x2,y2"
        ),
        transform: LineArgument.init
    )
    var line: [LineArgument] = []

    @Option(
        parsing: .unconditionalSingleValue,
        help: ArgumentHelp(
            """
            Count the objects that enter and leave the zone with these corners. A name may come in front, as in \
            'yard=0,300 640,300 640,480'. Repeatable.
            """,
            valueName: "'x,y x,y x,y'"
        ),
        transform: ZoneArgument.init
    )
    var zone: [ZoneArgument] = []

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp(
            """
            Count an object at a line or zone once it has been seen beyond the line or edge for this time, in seconds (default: when it is \
            seen there twice in a row).
            """,
            valueName: "time"
        ),
        transform: TimeArgument.init
    )
    var confirm: TimeArgument?

    @Option(
        help: ArgumentHelp(
            """
            The point of an object that counts at lines and zones: the middle of the box's lower edge, the middle of the box, or the feet, if             the model gives points of bodies; an object whose feet are hidden counts by the lower edge (default: bottom).
            """,
            valueName: "point"
        )
    )
    var by: AnchorArgument?

    @Option(
        parsing: .unconditionalSingleValue,
        help: ArgumentHelp(
            """
            Read the state of a thing, such as a gate that is open or closed: a labeler names this region of the picture every second, and a \
            label that stays for three becomes the state. The region is x,y,width,height, or the box around corners as of a zone. \
            Repeatable.
            """,
            valueName: "'name: region=x,y,w,h; model=file; every=1s; for=3s'"
        ),
        transform: StateArgument.init
    )
    var state: [StateArgument] = []

    @OptionGroup(title: "Results") var output: OutputArguments<FrameResults>

    @Option(
        help: ArgumentHelp(
            """
            Also write the events to this file as soon as they happen: objects that appear, get a name or are gone, cross a line, and enter \
            or leave a zone. Rows of CSV in a .csv file, otherwise lines of JSON. Events of a camera follow those of earlier runs.
            """,
            valueName: "file"
        ),
        completion: .file()
    )
    var events: String?

    @Option(
        help: ArgumentHelp(
            """
            Also write how many objects crossed each line inward and outward, entered and left each zone, and were inside on average, by \
            label, and the share of time that each thing was in each state, to this .csv file, a row for each --period when it has ended.
            """,
            valueName: "file"
        ),
        completion: .file()
    )
    var counts: String?

    @Option(
        help: ArgumentHelp("The period of --counts, for example 30s, 15m or 1d (default: 1h).", valueName: "time"),
        transform: PeriodArgument.init
    )
    var period: PeriodArgument?

    @OptionGroup(title: "Events over the network") var sending: EventArguments

    @OptionGroup(title: "Drawings") var drawing: DrawingArguments

    @OptionGroup(title: "Drawings") var checking: CheckArguments

    @Flag(help: "Also draw the recent path of each object; the same as adding trace to --draw.")
    var trace = false

    @OptionGroup(title: "Drawings") var cropping: CropArguments

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp("Show the annotated video in browsers of this machine, at this port.", valueName: "port")
    )
    var preview: Int?

    @Option(
        help: ArgumentHelp("Begin at this time: seconds, mm:ss or hh:mm:ss.", valueName: "time"),
        transform: TimeArgument.init
    )
    var from: TimeArgument?

    @Option(
        help: ArgumentHelp("End at this time: seconds, mm:ss or hh:mm:ss.", valueName: "time"),
        transform: TimeArgument.init
    )
    var to: TimeArgument?

    @OptionGroup var limits: LimitArguments
    @OptionGroup(title: "Speed") var concurrency: ConcurrencyArguments

    @Option(
        help: "Track the boxes of this file (frame,-1,left,top,width,height,score) instead of a video.",
        completion: .file()
    )
    var detections: String?

    @Option(
        parsing: .unconditional,
        help: "The frames in a second of --detections or of pictures (default: the value in seqinfo.ini, otherwise 30)."
    )
    var frameRate: Double?

    /// Whether pictures come out.
    var wantsPictures: Bool { drawing.annotate != nil || cropping.crop != nil || preview != nil || exchange.pixels }

    /// Whether pictures of events are sent. Blurred pictures need the frames that follow, so such pictures are not sent.
    var sendsEventPictures: Bool { sending.sendsPictures && !hides }

    /// Whether pictures hide objects.
    var hides: Bool { drawing.hides }

    func run() async throws {
        var command = self
        if drawing.blurFaces { command.detector.findFaces() }
        try await command.follow()
    }

    private func follow() async throws {
        if sending.sendsPictures, hides {
            StandardError.report(
                "The pictures for --home-assistant would show what --annotate hides, so none are sent."
            )
        }
        if exchange.stdinFormat != nil { return try await FrameTracking(self).run(streamDetection()) }
        if let detections { try trackDetections(URL(filePath: detections)) }
        guard !inputs.isEmpty else { return }
        let folders = [output.output, events, counts, drawing.annotate, cropping.crop].compactMap(\.self)
        let list = VideoList(inputs, excludedFolders: folders)
        let detection = try streamDetection()
        let sheet = try checking.check.map { path in
            let threshold = try loading(detector.requestedModels(detection)) { try detection.leastConfidence() }
            return MomentSheet(path: path, threshold: threshold, namesVideos: !list.isSingle)
        }
        do {
            try await follow(list, detection, sheet)
        } catch {
            try await sheet?.write()
            throw error
        }
        try await sheet?.write()
    }

    private func follow(_ list: VideoList, _ detection: ObjectDetectorOptions, _ sheet: MomentSheet?) async throws {
        guard list.isSingle, !output.namesFolder, let video = list.videos.first else {
            return try await reporting(as: .usage) { try VideoBatch(self, list, sheet) }.run(detection)
        }
        if let failure = video.failure {
            StandardError.report("\(video.printedName): \(failure)")
            throw ExitStatus.failure.code
        }
        let status = try await VideoRun(self, video, sheet).run(detection)
        if status != .success { throw status.code }
    }

    /// Runs the tracker alone.
    private func trackDetections(_ file: URL) throws {
        var options = ObjectTrackerOptions(followsCamera: camera != .fixed)
        if let threshold = try detector.scoreThresholds.usual {
            options.highThreshold = threshold
            options.lowThreshold = min(options.lowThreshold, threshold)
        }
        try reporting {
            let sinkOptions = ResultSinkOptions(kind: .frames)
            try checkOutputs()
            var results = try TrackOutput(output, output.resultFormat(default: .mot), sinkOptions, events: events)
            var history = StreamHistory()
            let run = DetectionsRun(options: options, frameRate: frameRate)
            if offline {
                var tracker = OfflineTracker()
                try run.run(file) { tracker.append($0) }
                for result in tracker.finish() { try results.append(result, history.update(result)) }
            } else {
                try run.run(file) { try results.append($0, history.update($0)) }
            }
            try results.finish(history.finish())
        }
    }
}

extension VideoDecoder: ExpressibleByArgument {}
