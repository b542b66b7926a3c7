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
    private var problemSearch: Task<String?, Never>?
    /// Projects take turns; one alone never has all processes.
    private let queue = FairQueue(places: 2, placesOfOwner: 1)

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
    public func verdict(on file: BlobFile, of project: String) async -> ModelVerdict {
        if let verdict = verdicts[file.hash] { return verdict }
        let verdict = try? await queue.run(as: project) { () -> ModelVerdict in
            // Another may have looked at the same file while this one waited.
            if let verdict = await known(file.hash) { return verdict }
            return await examine(file.path)
        }
        guard let verdict else {
            return .unavailable(message: "The upload was cancelled before the hub had looked at it.")
        }
        if case .unavailable = verdict { return verdict }
        verdicts.insert(verdict, on: file.hash)
        return verdict
    }

    private func known(_ hash: BlobHash) -> ModelVerdict? { verdicts[hash] }

    /// Says what keeps examinations from working.
    ///
    /// The answer is what is known: it is found out anew beside the queue, and only who asks first waits for it.
    public func problem() async -> String? {
        let isFresh = lastProblem.map { .now - $0.time < Self.problemLifetime } ?? false
        if !isFresh, problemSearch == nil { problemSearch = Task { await findProblem() } }
        if let lastProblem { return lastProblem.problem }
        return await problemSearch?.value
    }

    /// Tries to look at a file that is no model: what comes of it says whether there is a runtime.
    private func findProblem() async -> String? {
        var problem: String?
        if case .unavailable(let message) = await examine("/dev/null") { problem = message }
        lastProblem = (problem, .now)
        problemSearch = nil
        return problem
    }

    /// Runs the examiner to its end, or kills it.
    private nonisolated func examine(_ path: String) async -> ModelVerdict {
        let output = Mutex(Data())
        let process = WorkerProcess(executable, arguments + [path])
        let ending = await process.run(timeout: timeout) { piece in
            output.withLock { output in
                output += piece
                return output.count <= Self.maximumOutput
            }
        }
        switch ending {
        case .finished(status: 0): return Self.verdict(output.withLock { $0 })
        case .finished, .crashed:
            return .invalid(message: "The model makes the runtime crash or takes too much memory; convert it anew.")
        case .tooSlow:
            return .invalid(message: "The model takes too long to run even once; use a smaller one.")
        case .stopped: return .unavailable(message: "The upload was cancelled before the hub had looked at it.")
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

    private static func verdict(_ data: Data) -> ModelVerdict {
        guard let examination = try? JSONDecoder().decode(ModelExamination.self, from: data) else {
            return .invalid(message: "The model cannot be examined; its process said nothing.")
        }
        if examination.isRuntimeMissing {
            return .unavailable(
                message: "The hub cannot verify models: \(examination.message ?? "the runtime is missing")"
            )
        }
        if let limitation = examination.limitation {
            return .unrunnable(reason: String(limitation.prefix(ModelVerdict.maximumMessage)))
        }
        guard examination.isValid, let inspection = examination.inspection else {
            let message = examination.message.map { String($0.prefix(ModelVerdict.maximumMessage)) }
            return message.map { .invalid(message: $0) } ?? .notAModel
        }
        return .valid(inspection: text(of: inspection))
    }
}
