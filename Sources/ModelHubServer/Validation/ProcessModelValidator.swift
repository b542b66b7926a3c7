import Foundation
import Sightline
import Synchronization

/// Looks at models in processes of their own, which have limits of time and memory, so that a hostile model can harm
/// nothing but its process.
public actor ProcessModelValidator: ModelValidator {
    private let executable: URL
    private let arguments: [String]
    private let timeout: Duration
    private var verdicts = VerdictCache()
    private var lastProblem: (problem: String?, time: ContinuousClock.Instant)?
    private var running = 0
    private var waiting: [CheckedContinuation<Void, Never>] = []

    /// How many processes may run at once.
    private static let maximumProcesses = 2
    /// How long an examination's JSON may be.
    private static let maximumOutput = 1 << 20
    /// How long the answer to whether models can be looked at is remembered, since anybody may ask.
    private static let problemLifetime = Duration.seconds(60)

    /// - Parameters:
    ///   - executable: the command that looks at a model and writes a ``ModelExamination`` in JSON.
    ///   - arguments: what comes before the path of the model.
    ///   - timeout: after this time the process is killed and the model is invalid.
    public init(executable: URL, arguments: [String], timeout: Duration = .seconds(30)) {
        self.executable = executable
        self.arguments = arguments
        self.timeout = timeout
    }

    /// Looks at a file in a process of its own, or remembers what came of it.
    public func verdict(on file: BlobFile) async -> ModelVerdict {
        if let verdict = verdicts[file.hash] { return verdict }
        await enter()
        defer { leave() }
        // Another may have looked at the same file while this one waited.
        if let verdict = verdicts[file.hash] { return verdict }
        let verdict = Self.verdict(on: await run(path: file.path))
        if case .unavailable = verdict { return verdict }
        verdicts.insert(verdict, on: file.hash)
        return verdict
    }

    /// Says what keeps examinations from working, by trying one.
    public func problem() async -> String? {
        await enter()
        defer { leave() }
        if let lastProblem, .now - lastProblem.time < Self.problemLifetime { return lastProblem.problem }
        // A file that is no model: what comes of it says whether there is a runtime.
        var problem: String?
        if case .unavailable(let message) = Self.verdict(on: await run(path: "/dev/null")) { problem = message }
        lastProblem = (problem, .now)
        return problem
    }

    private func enter() async {
        if running < Self.maximumProcesses {
            running += 1
            return
        }
        await withCheckedContinuation { waiting.append($0) }
    }

    /// Lets the one that has waited longest take this one's place.
    private func leave() {
        if waiting.isEmpty { running -= 1 } else { waiting.removeFirst().resume() }
    }

    private enum Outcome: Sendable {
        case output(Data)
        case crashed
        case tooSlow
        case notStarted(String)
    }

    private static func verdict(on outcome: Outcome) -> ModelVerdict {
        switch outcome {
        case .output(let data):
            guard let examination = try? JSONDecoder().decode(ModelExamination.self, from: data) else {
                return .invalid(message: "The model cannot be examined; its process said nothing.")
            }
            if examination.isRuntimeMissing {
                return .unavailable(
                    message: "The hub cannot verify models: \(examination.message ?? "the runtime is missing")"
                )
            }
            guard examination.isValid, let inspection = examination.inspection else {
                let message = examination.message.map { String($0.prefix(ModelVerdict.maximumMessage)) }
                return message.map { .invalid(message: $0) } ?? .notAModel
            }
            return .valid(inspection: text(of: inspection))
        case .crashed:
            return .invalid(message: "The model makes the runtime crash or takes too much memory; convert it anew.")
        case .tooSlow:
            return .invalid(message: "The model takes too long to run even once; use a smaller one.")
        case .notStarted(let reason):
            return .unavailable(
                message: "The hub cannot verify models: its examiner cannot be started (\(reason)); install it again."
            )
        }
    }

    /// The description of a model as JSON, without what makes it too long to be kept.
    private static func text(of inspection: ModelInspection) -> String {
        var inspection = inspection
        // The path is the hub's own business.
        inspection.path = ""
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        for _ in 0..<2 {
            guard let data = try? encoder.encode(inspection) else { break }
            if data.count <= ModelVerdict.maximumInspection { return String(decoding: data, as: UTF8.self) }
            inspection.metadata = [:]
            inspection.labels?.first = []
        }
        return "null"
    }

    /// Runs the examiner to its end, or kills it.
    private func run(path: String) async -> Outcome {
        let process = Process()
        let output = Pipe()
        process.executableURL = executable
        process.arguments = arguments + [path]
        // A crash says enough; unwinding its stack would take longer than the examination.
        process.environment = ProcessInfo.processInfo.environment.merging(["SWIFT_BACKTRACE": "enable=no"]) { $1 }
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = output
        process.standardError = FileHandle.nullDevice
        let end = ProcessEnd()
        process.terminationHandler = { process in
            end.finish(process.terminationReason == .exit && process.terminationStatus == 0)
        }
        do {
            try process.run()
        } catch {
            return .notStarted("\(error)")
        }
        let identifier = process.processIdentifier
        // On threads of Dispatch: those of Swift's tasks are few, and must not wait for a process.
        let killer = DispatchWorkItem {
            end.noteTimeout()
            // Whatever it started dies with it: Foundation gives each process that it starts a group of its own.
            if kill(-identifier, SIGKILL) != 0 { kill(identifier, SIGKILL) }
        }
        let seconds = timeout / .seconds(1)
        DispatchQueue.global().asyncAfter(deadline: .now() + seconds, execute: killer)
        let data = await withCheckedContinuation { continuation in
            DispatchQueue.global().async {
                var data = Data()
                while let piece = try? output.fileHandleForReading.read(upToCount: 65_536), !piece.isEmpty {
                    if data.count < Self.maximumOutput { data += piece }
                }
                continuation.resume(returning: data)
            }
        }
        let isSuccess = await end.value
        killer.cancel()
        if end.isTimedOut { return .tooSlow }
        return isSuccess ? .output(data) : .crashed
    }
}

/// The end of a process, for one task to wait for.
private final class ProcessEnd: Sendable {
    private struct State {
        var result: Bool?
        var isTimedOut = false
        var continuation: CheckedContinuation<Bool, Never>?
    }

    private let state = Mutex(State())

    var isTimedOut: Bool { state.withLock { $0.isTimedOut } }

    func noteTimeout() {
        state.withLock { state in
            if state.result == nil { state.isTimedOut = true }
        }
    }

    func finish(_ result: Bool) {
        let continuation = state.withLock { state in
            state.result = result
            defer { state.continuation = nil }
            return state.continuation
        }
        continuation?.resume(returning: result)
    }

    var value: Bool {
        get async {
            await withCheckedContinuation { continuation in
                let result = state.withLock { state in
                    if state.result == nil { state.continuation = continuation }
                    return state.result
                }
                if let result { continuation.resume(returning: result) }
            }
        }
    }
}
