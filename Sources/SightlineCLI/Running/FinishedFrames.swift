import CommandLineSupport
import Sightline
import SightlineMedia

/// A frame on its way to the outputs.
struct DeliveredFrame {
    let result: StreamResult
    /// Nil if no output needs pictures.
    let frame: VideoFrame?
    /// The parts of the picture that hide objects; nil if the drawing has to find them.
    var covers: CoverPlanner.HiddenParts?
}

/// The frames of a video that was read to its end, with the final results, and with pictures from a second reading.
struct FinishedFrames {
    private var results: FinishedStream.Iterator
    /// Nil if no output needs pictures.
    private var frames: VideoFrames.Iterator?
    /// Knows the results of the frames ahead, which need no pictures; nil if nothing is hidden.
    private var planner: CoverPlanner?
    private var ahead: FinishedStream.Iterator
    private var nextAhead: StreamResult?
    private let limit: Int
    private let name: String
    /// The signal that ended the first reading. Another signal ends the process.
    private let earlierSignal = Termination.stopSignal

    /// - Parameters:
    ///   - limit: the largest number of objects in a frame; those that were seen first remain.
    ///   - name: the name of the video in messages.
    ///   - frames: the frames of the second reading; nil if no output needs pictures.
    ///   - hides: whether the pictures hide objects.
    init(_ stream: FinishedStream, limit: Int, of name: String, frames: VideoFrames?, hides: Bool) {
        results = stream.makeIterator()
        planner = hides ? CoverPlanner() : nil
        ahead = stream.makeIterator()
        nextAhead = ahead.next()
        self.limit = limit
        self.name = name
        self.frames = frames?.makeAsyncIterator()
    }

    /// The next frame; nil at the end, and after a signal.
    ///
    /// - Throws: `VideoError` of the second reading; `InputError` if that has other frames than the first.
    mutating func next() async throws -> DeliveredFrame? {
        guard Termination.stopSignal == earlierSignal, var result = results.next() else { return nil }
        result.objects = Array(result.objects.prefix(limit))
        guard frames != nil else { return DeliveredFrame(result: result, frame: nil) }
        guard let frame = try await frames?.next(), frame.index == result.index, frame.image.size == result.size else {
            throw InputError(
                reason:
                    "\(FileName.printed(name)) had different frames at the second reading; run the command again."
            )
        }
        return DeliveredFrame(result: result, frame: frame, covers: covers(of: result))
    }

    private mutating func covers(of result: StreamResult) -> CoverPlanner.HiddenParts? {
        while let next = nextAhead, next.timestamp <= result.timestamp + CoverPlanner.lookahead {
            planner?.add(next)
            nextAhead = ahead.next()
        }
        return planner?.hiddenParts(of: result)
    }
}
