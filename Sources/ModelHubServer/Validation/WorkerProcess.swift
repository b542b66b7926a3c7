import Foundation
import HTTPServing
import Subprocess
import Synchronization

#if canImport(System)
    import System
#else
    import SystemPackage
#endif

/// A process of `sightline-hub` that reads untrusted data: a model, or pictures. It has its own limits, and can harm
/// only itself.
final class WorkerProcess: Sendable {
    /// The end of a process.
    enum Ending: Sendable {
        /// It exited with a status of 0 or more.
        case finished(status: Int32)
        /// It crashed, exceeded its time or memory, printed too much, or had too many threads.
        case crashed
        /// It was canceled.
        case stopped
        /// It took too long.
        case tooSlow
        /// The program does not exist.
        case notStarted(String)
    }

    private struct State {
        var work: Task<Ending, Never>?
        var isStopped = false
        var isTooSlow = false
        var hasTooManyThreads = false
    }

    /// The maximum number of threads: a few for each of many processors. A limit of the system would count the threads of all
    /// processes of the user, also of those that only other containers see.
    private static let maximumThreads = 512

    private struct UnwantedOutput: Error {}

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
            state.work?.cancel()
        }
    }

    /// Runs the process until it ends, the time is over, or the task is canceled.
    ///
    /// - Parameters:
    ///   - timeout: The time after which the process is killed.
    ///   - onOutput: Receives the output in pieces, on a thread that may wait; false ends the process.
    func run(timeout: Duration, onOutput: @escaping @Sendable (Data) -> Bool) async -> Ending {
        let killer = Task {
            try await Task.sleep(for: timeout)
            stop(isTooSlow: true)
        }
        defer { killer.cancel() }
        let work = Task(executorPreference: BlockingExecutor.shared) { await self.start(onOutput) }
        state.withLock { state in
            state.work = work
            if state.isStopped { work.cancel() }
        }
        let ending = await withTaskCancellationHandler {
            await work.value
        } onCancel: {
            stop()
        }
        return state.withLock { state in
            state.work = nil
            if state.hasTooManyThreads { return .crashed }
            return state.isStopped ? (state.isTooSlow ? .tooSlow : .stopped) : ending
        }
    }

    /// Runs the process in its own group. If the task is canceled or the output is unwanted, the group is killed.
    private func start(_ onOutput: @Sendable (Data) -> Bool) async -> Ending {
        var options = PlatformOptions()
        options.processGroupID = 0
        options.teardownSequence = [.send(signal: .kill, toProcessGroup: true, allowedDurationToNextStep: .seconds(1))]
        do {
            let result = try await Subprocess.run(
                .path(FilePath(executable.path)),
                arguments: Arguments(arguments),
                environment: .custom(Self.environment(ProcessInfo.processInfo.environment)),
                platformOptions: options,
                input: .none,
                output: .sequence,
                error: .discarded
            ) { process in
                let watch = Task { await self.watchThreads(of: Int(process.processIdentifier.value)) }
                defer { watch.cancel() }
                for try await piece in process.standardOutput {
                    guard onOutput(Data(buffer: piece)) else { throw UnwantedOutput() }
                }
            }
            return if case .exited(let status) = result.terminationStatus { .finished(status: status) } else {
                .crashed
            }
        } catch is UnwantedOutput {
            return .crashed
        } catch {
            return .notStarted("\(error)")
        }
    }

    /// Kills the process if it has too many threads. It cannot end other processes, but runaway threads would leave none for
    /// the hub.
    private func watchThreads(of process: Int) async {
        while (try? await Task.sleep(for: .milliseconds(100))) != nil {
            var status = stat()
            // On Linux, the folder has a folder for each thread, and each of these a link to it.
            guard stat("/proc/\(process)/task", &status) == 0 else { return }
            guard Int(status.st_nlink) - 2 > Self.maximumThreads else { continue }
            return state.withLock { state in
                state.hasTooManyThreads = true
                state.work?.cancel()
            }
        }
    }

    /// The part of the hub's environment for such a process. The environment itself may contain secrets.
    static func environment(_ all: [String: String]) -> [Environment.Key: String] {
        let needed: [Environment.Key] = [
            "HOME", "LD_LIBRARY_PATH", "PATH", "SIGHTLINE_LITERT", "SIGHTLINE_ONNXRUNTIME", "XDG_DATA_HOME",
        ]
        var environment: [Environment.Key: String] = [:]
        for key in needed { environment[key] = all[key.rawValue] }
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
