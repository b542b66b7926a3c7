import ArgumentParser
import Foundation
import Sightline
import SightlineMedia

/// The way of a video: read, detect and follow, draw, write.
struct VideoRun {
    private let arguments: TrackCommand
    private let name: String

    /// After how long an object that is not seen cannot come back, beyond what the tracker remembers.
    private static let farewell = Duration.seconds(1)

    init(_ arguments: TrackCommand, input: String) {
        self.arguments = arguments
        name = input
    }

    /// Why a run ended before its time.
    private enum Interruption {
        /// The input cannot be read any further.
        case reading(any Error)
        /// Results cannot be written.
        case writing(any Error)
    }

    /// Follows all objects and writes what is found.
    ///
    /// - Throws: an exit code after saying why.
    func run() async throws {
        let reader = try saying { try VideoReader(input: input, options: readerOptions) }
        let (detection, options) = try arguments.detectorOptions(isLive: reader.info.isLive)
        let detector = try loading(arguments.requestedModels(detection)) {
            try StreamDetector(detection: detection, options: options)
        }
        let memory = options.tracking.memory + Self.farewell
        var state = State(
            output: try saying { try TrackOutput(arguments, memory: memory) },
            zones: ZoneCounts(arguments, memory: memory),
            progress: VideoProgress(reader.info, from: arguments.from?.time, to: arguments.to?.time)
        )
        warnOfOutlines(outside: reader.info.size)
        let drawing = try saying { try TrackDrawing(arguments, input: input, info: reader.info) }
        var interruption: Interruption?
        await Termination.stopping(by: { reader.cancel() }) {
            interruption = await follow(reader, detector, drawing, &state)
            // Also what is written last may not be left half done.
            do {
                try await drawing?.finish()
                state.progress.clear()
                try state.output.finish()
            } catch {
                interruption = interruption ?? .writing(error)
            }
        }
        state.output.writeSummary(summary(state, reader.statistics))
        if arguments.maxObjects == nil, state.fullFrames > 0 {
            StandardError.report(
                "\(state.fullFrames) frames have \(options.maximumObjects) objects, which is the limit; "
                    + "raise --max-objects to follow more."
            )
        }
        if interruption == nil { warnOfNothingRead(reader, state.output.report) }
        try end(interruption, reader, state.output.report)
    }

    /// What grows from frame to frame.
    private struct State {
        var output: TrackOutput
        var zones: ZoneCounts
        var progress: VideoProgress
        /// Frames with as many objects as there may be.
        var fullFrames = 0
    }

    private var input: VideoInput { VideoInput(name, frameRate: arguments.frameRate ?? 30) }

    private var readerOptions: VideoReaderOptions {
        VideoReaderOptions(start: arguments.from?.time ?? .zero, end: arguments.to?.time)
    }

    /// Says which lines and zones can count nothing.
    private func warnOfOutlines(outside size: PixelSize) {
        let outlines =
            arguments.line.enumerated().map { ("line \($0 + 1)", [$1.start, $1.end]) }
            + arguments.zone.enumerated().map { ("zone \($0 + 1)", $1.corners) }
        for (outline, points) in outlines where Self.isOutside(points, of: size) {
            StandardError.report(
                "\(outline) lies outside of the frame of \(size.width) × \(size.height) pixels, where it counts nothing."
            )
        }
    }

    /// Whether all points lie on the same side beyond the frame.
    private static func isOutside(_ points: [PixelPoint], of size: PixelSize) -> Bool {
        let (width, height) = (Double(size.width), Double(size.height))
        return points.allSatisfy { $0.x < 0 } || points.allSatisfy { $0.x > width }
            || points.allSatisfy { $0.y < 0 } || points.allSatisfy { $0.y > height }
    }

    /// Says why there is not one frame.
    private func warnOfNothingRead(_ reader: VideoReader, _ report: TrackReport) {
        guard report.frameCount == 0, Termination.stopSignal == nil, let from = arguments.from?.time else { return }
        let length = reader.info.duration.map { ", which is \(ClockText.text($0)) long" } ?? ""
        StandardError.report("--from \(ClockText.text(from)) lies beyond the end of \(name)\(length).")
    }

    /// Works on all frames; gives the reason if it ends before the input does.
    ///
    /// Decoding, detection and drawing each work on a frame of their own at the same time.
    private func follow(
        _ reader: VideoReader,
        _ detector: StreamDetector,
        _ drawing: TrackDrawing?,
        _ state: inout State
    ) async -> Interruption? {
        var frames = detector.results(in: reader.frames(), policy: reader.info.isLive ? .newest : .all)
            .makeAsyncIterator()
        var drawn: Task<Void, any Error>?
        while true {
            let analyzed: AnalyzedFrame?
            do {
                analyzed = try await frames.next()
            } catch {
                _ = await drawn?.result
                return .reading(error)
            }
            do {
                try await drawn?.value
                guard let analyzed else { return nil }
                state.zones.update(with: analyzed.result)
                if analyzed.result.objects.count >= detector.options.maximumObjects { state.fullFrames += 1 }
                if let drawing {
                    let outlines = state.zones.outlines
                    drawn = Task { try await drawing.draw(analyzed, outlines: outlines) }
                }
                try state.output.append(analyzed.result)
                state.progress.advance(analyzed.result)
            } catch {
                return .writing(error)
            }
        }
    }

    private func summary(_ state: State, _ reading: VideoReadingStatistics) -> [String] {
        let report = state.output.report
        var frames = "\(report.frameCount) frame\(report.frameCount == 1 ? "" : "s"), \(state.progress.rateText)"
        if report.droppedFrames > 0 { frames += ", \(report.droppedFrames) dropped" }
        if reading.damagedPackets > 0 { frames += ", \(reading.damagedPackets) damaged" }
        if reading.reconnects > 0 { frames += ", connected anew \(reading.reconnects) times" }
        return [report.countText] + state.zones.summary + [frames]
    }

    /// Ends with the exit code of how it went.
    private func end(_ interruption: Interruption?, _ reader: VideoReader, _ report: TrackReport) throws {
        switch interruption {
        case .writing(let error):
            StandardError.report(sentence(for: error))
            throw ExitStatus.nothingDone
        case .reading(let error):
            StandardError.report(sentence(for: error))
            throw report.frameCount > 0 ? ExitStatus.notEverythingDone : ExitStatus.nothingDone
        case nil:
            break
        }
        if let signal = Termination.stopSignal { throw ExitCode(128 + signal) }
        if let reason = reader.statistics.earlyEnd {
            StandardError.report("\(name): the end is missing (\(reason)); what came before was done.")
            throw ExitStatus.notEverythingDone
        }
    }

    /// Makes something; what is wrong is said on standard error.
    private func saying<Value>(_ body: () throws -> Value) throws -> Value {
        do {
            return try body()
        } catch {
            StandardError.report(sentence(for: error))
            throw ExitStatus.nothingDone
        }
    }
}
