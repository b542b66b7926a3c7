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
        let options = try arguments.streamOptions()
        let reader = try saying { try VideoReader(input: input, options: readerOptions) }
        let detector = try loading { try StreamDetector(options: options) }
        var output = try saying { try TrackOutput(arguments, memory: options.tracking.memory + Self.farewell) }
        var progress = VideoProgress(reader.info, from: arguments.from?.time, to: arguments.to?.time)
        var interruption: Interruption?
        await Termination.stopping(by: { reader.cancel() }) {
            interruption = await follow(reader, detector, &output, &progress)
        }
        progress.clear()
        do {
            try output.finish()
        } catch {
            interruption = interruption ?? .writing(error)
        }
        output.writeSummary(summary(output.report, reader.statistics, progress))
        try end(interruption, reader, output.report)
    }

    private var input: VideoInput { VideoInput(name, frameRate: arguments.frameRate ?? 30) }

    private var readerOptions: VideoReaderOptions {
        VideoReaderOptions(start: arguments.from?.time ?? .zero, end: arguments.to?.time)
    }

    /// Works on all frames; gives the reason if it ends before the input does.
    private func follow(
        _ reader: VideoReader,
        _ detector: StreamDetector,
        _ output: inout TrackOutput,
        _ progress: inout VideoProgress
    ) async -> Interruption? {
        var frames = detector.results(of: reader.frames(), policy: reader.info.isLive ? .newest : .all)
            .makeAsyncIterator()
        while true {
            let analyzed: AnalyzedFrame
            do {
                guard let next = try await frames.next() else { return nil }
                analyzed = next
            } catch {
                return .reading(error)
            }
            do {
                try output.append(analyzed.result)
            } catch {
                return .writing(error)
            }
            progress.advance(analyzed.result, identities: output.report.identityCount)
        }
    }

    private func summary(
        _ report: TrackReport,
        _ reading: VideoReadingStatistics,
        _ progress: VideoProgress
    ) -> [String] {
        var frames = "\(report.frameCount) frame\(report.frameCount == 1 ? "" : "s"), \(progress.rateText)"
        if report.droppedFrames > 0 { frames += ", \(report.droppedFrames) dropped" }
        if reading.damagedPackets > 0 { frames += ", \(reading.damagedPackets) damaged" }
        if reading.reconnects > 0 { frames += ", connected anew \(reading.reconnects) times" }
        return [report.countText, frames]
    }

    /// Ends with the exit code of how it went.
    private func end(_ interruption: Interruption?, _ reader: VideoReader, _ report: TrackReport) throws {
        switch interruption {
        case .writing(let error):
            StandardError.report(sentence(for: error))
            throw ExitStatus.nothingDone
        case .reading(let error):
            StandardError.report(sentence(for: error))
            throw report.frameCount > 0 ? ExitStatus.somePicturesFailed : ExitStatus.nothingDone
        case nil:
            break
        }
        if let signal = Termination.stopSignal { throw ExitCode(128 + signal) }
        if let reason = reader.statistics.earlyEnd {
            StandardError.report("\(name): the end could not be read (\(reason)); what came before was done.")
            throw ExitStatus.somePicturesFailed
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
