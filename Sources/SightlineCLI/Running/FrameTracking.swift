import CommandLineSupport
import Foundation
import Sightline
import SightlineMedia

/// Follows the objects of frames that a program sends on standard input. Each frame is answered before the next one is needed.
struct FrameTracking {
    private let arguments: TrackCommand
    private var times: FrameTimes
    private var history: StreamHistory

    init(_ arguments: TrackCommand) {
        self.arguments = arguments
        times = FrameTimes(rate: arguments.frameRate ?? 30)
        history = StreamHistory(arguments)
    }

    /// Answers all frames.
    ///
    /// - Parameter detection: the options of the detector, except threads and workers.
    /// - Throws: an exit code after a message, if the model is missing or standard input ends in a frame.
    consuming func run(_ detection: ObjectDetectorOptions) async throws {
        var detection = detection
        (detection.threads, detection.workers) = arguments.concurrency.forStream(oneByOne: true)
        let detector = try loading(arguments.detector.requestedModels(detection)) {
            try StreamDetector(detection: detection, options: arguments.streamOptions)
        }
        try reporting(as: .usage) { [arguments] in try arguments.checkPoints(of: detector) }
        var options = ResultSinkOptions(kind: .frames)
        options.writesTimes = !arguments.output.noTimes
        options.model = try arguments.detector.defaultModel(detector.modelFiles)
        let output = RecordOutput(try reporting { try arguments.output.sink(.jsonLines, options) })
        let source = StandardInput.Frames(maximumBytes: arguments.limits.forPictures.maximumBytes)
        await Termination.closing(by: { output.close() }) {
            output.begin()
            while let input = await source.next() { await answer(input, detector, to: output) }
            output.close()
        }
        if let failure = source.failure {
            StandardError.report(sentence(for: failure))
            throw ExitStatus.failure.code
        }
    }

    private mutating func answer(_ input: Input, _ detector: StreamDetector, to output: RecordOutput) async {
        do {
            // A frame without bytes is a question whether the program answers; it is not a part of the stream.
            if case .bytes(let data) = input.content, data.isEmpty { throw ImageError.empty }
            let (index, time) = try times.next(named: input.name)
            let image = try await input.open(limits: arguments.limits.forPictures)
            let result = try await detector.result(in: VideoFrame(image: image, timestamp: time, index: index))
            let events = history.update(result)
            output.write { try $0.append(result, events: events) }
        } catch {
            let reason = LimitArguments.sentence(for: error) ?? sentence(for: error)
            output.write { try $0.append(PictureResult(name: input.printedName, outcome: .failure(reason))) }
        }
    }
}

/// The places of frames in their stream.
struct FrameTimes {
    /// The frames in a second where names have no times.
    private let rate: Double
    private var count = 0
    private var last: Duration?
    /// More seconds than any stream has, and few enough for `Duration`.
    private static let maximumSeconds = 1e10

    init(rate: Double) { self.rate = rate }

    /// Takes the next frame.
    ///
    /// - Parameter name: the frame's time in seconds, or another text for a time that follows from the rate.
    /// - Throws: `InputError` if the time is not later than that of the frame before.
    mutating func next(named name: String) throws(InputError) -> (index: Int, time: Duration) {
        let index = count
        count += 1
        let seconds = Double(name) ?? Double(index) / rate
        guard (0...Self.maximumSeconds).contains(seconds) else {
            throw InputError(
                reason: "\(seconds) is not the time of a frame; give seconds from the beginning of the stream."
            )
        }
        let time = Duration.seconds(seconds)
        if let last, time <= last {
            throw InputError(
                reason:
                    "the frame's time of \(time.seconds) s is not after \(last.seconds) s, the time of the frame before; send "
                    + "frames in the order of their times."
            )
        }
        last = time
        return (index, time)
    }
}
