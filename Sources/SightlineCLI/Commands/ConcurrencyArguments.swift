import ArgumentParser
import Foundation

/// The use of processor cores.
struct ConcurrencyArguments: ParsableArguments, Sendable {
    @Option(
        parsing: .unconditional,
        help: """
            Threads for each run of a model (default: for pictures, one per core, at most 4 in all; for a camera or stream, and \
            with --motion, one per core, at most 4; for a video file, 1).
            """
    )
    var threads: Int?

    @Option(
        parsing: .unconditional,
        help: """
            Pictures or frames that are processed at the same time (default: 1 for pictures; for a video file without --motion, one \
            per core, at most 4).
            """
    )
    var workers: Int?

    /// With more threads, small models become slower.
    private static let usefulThreads = 4

    private static var cores: Int { min(ProcessInfo.processInfo.activeProcessorCount, usefulThreads) }

    func validate() throws {
        if let threads { try check(threads, isIn: 1...256, name: "threads") }
        if let workers { try check(workers, isIn: 1...256, name: "workers") }
    }

    /// The numbers for pictures.
    var forPictures: (threads: Int, workers: Int) {
        let workers = workers ?? 1
        return (threads ?? max(Self.cores / workers, 1), workers)
    }

    /// The numbers for a stream.
    ///
    /// - Parameter oneByOne: whether each frame should be done soon, because frames come in real time or wait for each other;
    ///   otherwise the frames of a whole file should be done soon.
    func forStream(oneByOne: Bool) -> (threads: Int, workers: Int) {
        oneByOne ? (threads ?? Self.cores, 1) : (threads ?? 1, workers ?? Self.cores)
    }
}

/// Refuses a number outside a range.
///
/// - Throws: `ValidationError`.
func check<Number: Comparable>(_ number: Number, isIn range: ClosedRange<Number>, name: String) throws {
    guard range.contains(number) else {
        throw ValidationError("--\(name) is \(number); it must be \(range.lowerBound) to \(range.upperBound).")
    }
}
