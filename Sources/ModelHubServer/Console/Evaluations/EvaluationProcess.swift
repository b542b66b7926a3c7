import Evaluation
import Foundation
import Synchronization

/// A process of `sightline-hub` that looks at what strangers sent: a model, or pictures. It has limits of its own, and can
/// harm nothing but itself.
final class EvaluationProcess: Sendable {
    /// How it ended.
    enum Ending: Sendable {
        /// By itself, after saying all that it had to say.
        case finished
        /// It crashed, or used up its time or memory.
        case crashed
        /// It was cancelled.
        case stopped
        /// It took too long.
        case tooSlow
        /// There is no such program.
        case notStarted(String)
    }

    private struct State {
        var process: Int32?
        var isStopped = false
        var isTooSlow = false
    }

    private let state = Mutex(State())
    private let executable: URL
    private let arguments: [String]

    /// How long a line may be. A report on ten thousand labels has some ten million bytes.
    private static let maximumLine = 128 << 20

    init(_ executable: URL, _ arguments: [String]) {
        self.executable = executable
        self.arguments = arguments
    }

    /// Ends it at once. It keeps nothing that would be lost.
    func stop() { stop(isTooSlow: false) }

    private func stop(isTooSlow: Bool) {
        state.withLock { state in
            guard !state.isStopped else { return }
            (state.isStopped, state.isTooSlow) = (true, isTooSlow)
            if let process = state.process { kill(process, SIGKILL) }
        }
    }

    /// Runs it to its end, or for a time.
    ///
    /// - Parameters:
    ///   - timeout: after this time it is ended.
    ///   - onLine: gets each line that it writes, on a thread of its own.
    func run(
        timeout: Duration,
        onLine: @escaping @Sendable (Data) -> Void
    ) async -> Ending {
        let killer = Task {
            try await Task.sleep(for: timeout)
            stop(isTooSlow: true)
        }
        defer { killer.cancel() }
        return await withCheckedContinuation { continuation in
            // The threads of Swift's tasks are few, and must not wait for a process.
            Thread.detachNewThread { continuation.resume(returning: self.runOnThisThread(onLine)) }
        }
    }

    private func runOnThisThread(_ onLine: (Data) -> Void) -> Ending {
        let process = Process()
        let output = Pipe()
        process.executableURL = executable
        process.arguments = arguments
        // A crash says enough; unwinding its stack would take longer than the evaluation.
        process.environment = ProcessInfo.processInfo.environment.merging(["SWIFT_BACKTRACE": "enable=no"]) { $1 }
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = output
        process.standardError = FileHandle.nullDevice
        do {
            try process.run()
        } catch {
            return .notStarted("\(error)")
        }
        let isStopped = state.withLock { state in
            state.process = process.processIdentifier
            return state.isStopped
        }
        if isStopped { kill(process.processIdentifier, SIGKILL) }
        let isWhole = Self.readLines(output.fileHandleForReading.fileDescriptor, onLine)
        if !isWhole { kill(process.processIdentifier, SIGKILL) }
        process.waitUntilExit()
        return state.withLock { state in
            state.process = nil
            if state.isStopped { return state.isTooSlow ? .tooSlow : .stopped }
            return process.terminationReason == .exit && isWhole ? .finished : .crashed
        }
    }

    /// Reads to the end; gives false if a line is too long.
    private static func readLines(_ descriptor: Int32, _ onLine: (Data) -> Void) -> Bool {
        var waiting = Data()
        var buffer = [UInt8](repeating: 0, count: 1 << 16)
        while true {
            let count = read(descriptor, &buffer, buffer.count)
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { return true }
            var rest = buffer[..<count]
            while let end = rest.firstIndex(of: 10) {
                onLine(waiting + rest[..<end])
                waiting = Data()
                rest = rest[(end + 1)...]
            }
            waiting += rest
            if waiting.count > maximumLine { return false }
        }
    }
}
