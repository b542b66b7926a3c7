import Foundation
import Synchronization

/// A process of `sightline-hub` that reads untrusted data: a model, or pictures. It has its own limits, and can harm
/// only itself.
final class WorkerProcess: Sendable {
    /// The end of a process.
    enum Ending: Sendable {
        /// It exited with a status of 0 or more.
        case finished(status: Int32)
        /// It crashed, exceeded its time or memory, or printed too much.
        case crashed
        /// It was canceled.
        case stopped
        /// It took too long.
        case tooSlow
        /// The program does not exist.
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

    init(_ executable: URL, _ arguments: [String]) {
        self.executable = executable
        self.arguments = arguments
    }

    /// Kills the process and its children at once. It has no state that could be lost.
    func stop() { stop(isTooSlow: false) }

    private func stop(isTooSlow: Bool) {
        state.withLock { state in
            guard !state.isStopped else { return }
            (state.isStopped, state.isTooSlow) = (true, isTooSlow)
            if let process = state.process { Self.kill(process) }
        }
    }

    /// Foundation starts each process in its own process group.
    private static func kill(_ process: Int32) {
        if Foundation.kill(-process, SIGKILL) != 0 { Foundation.kill(process, SIGKILL) }
    }

    /// Runs the process until it ends, the time is over, or the task is canceled.
    ///
    /// - Parameters:
    ///   - timeout: The time after which the process is killed.
    ///   - onOutput: Receives the output in pieces, on a separate thread; false ends the process.
    func run(timeout: Duration, onOutput: @escaping @Sendable (Data) -> Bool) async -> Ending {
        let killer = Task {
            try await Task.sleep(for: timeout)
            stop(isTooSlow: true)
        }
        defer { killer.cancel() }
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                // The few threads of Swift's tasks must not wait for a process.
                Thread.detachNewThread { continuation.resume(returning: self.runOnThisThread(onOutput)) }
            }
        } onCancel: {
            stop()
        }
    }

    private func runOnThisThread(_ onOutput: (Data) -> Bool) -> Ending {
        let process = Process()
        let output = Pipe()
        process.executableURL = executable
        process.arguments = arguments
        process.environment = Self.environment(ProcessInfo.processInfo.environment)
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
        if isStopped { Self.kill(process.processIdentifier) }
        let isWanted = Self.readAll(output.fileHandleForReading.fileDescriptor, onOutput)
        if !isWanted { Self.kill(process.processIdentifier) }
        process.waitUntilExit()
        return state.withLock { state in
            state.process = nil
            if state.isStopped { return state.isTooSlow ? .tooSlow : .stopped }
            return process.terminationReason == .exit && isWanted
                ? .finished(status: process.terminationStatus) : .crashed
        }
    }

    /// Reads to the end; false if the rest is not wanted.
    private static func readAll(_ descriptor: Int32, _ onOutput: (Data) -> Bool) -> Bool {
        var buffer = [UInt8](repeating: 0, count: 1 << 16)
        while true {
            let count = read(descriptor, &buffer, buffer.count)
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { return true }
            guard onOutput(Data(buffer[..<count])) else { return false }
        }
    }

    /// The part of the hub's environment for such a process. The environment itself may contain secrets.
    static func environment(_ all: [String: String]) -> [String: String] {
        let needed = ["HOME", "LD_LIBRARY_PATH", "PATH", "SIGHTLINE_LITERT", "XDG_DATA_HOME"]
        var environment = all.filter { needed.contains($0.key) }
        // The crash itself is sufficient; a backtrace would take longer than the work.
        environment["SWIFT_BACKTRACE"] = "enable=no"
        return environment
    }
}

/// Splits the output of a process into lines.
final class LineReader: Sendable {
    private let waiting = Mutex(Data())
    private let onLine: @Sendable (Data) -> Void

    /// The maximum length of a line. A report on ten thousand labels has some ten million bytes.
    private static let maximumLine = 128 << 20

    init(onLine: @escaping @Sendable (Data) -> Void) { self.onLine = onLine }

    /// Receives the next piece; false if a line is too long.
    func take(_ piece: Data) -> Bool {
        waiting.withLock { waiting in
            var rest = piece[...]
            while let end = rest.firstIndex(of: 10) {
                onLine(waiting + rest[..<end])
                waiting = Data()
                rest = rest[(end + 1)...]
            }
            waiting += rest
            return waiting.count <= Self.maximumLine
        }
    }
}
