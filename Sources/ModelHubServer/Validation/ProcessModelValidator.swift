import Foundation
import HTTPServing
import Sightline
import Synchronization

/// Validates models in separate processes with limited time and memory, so that a hostile model can harm only its own
/// process.
package actor ProcessModelValidator: ModelValidator {
    private let executable: URL
    private let arguments: [String]
    private let timeout: Duration
    private var results = ValidationCache()
    private var lastProblem: (problem: String?, time: ContinuousClock.Instant)?
    private var problemSearch: Task<String?, Never>?
    /// Projects take turns; a single project never has all processes.
    private let queue = FairQueue(places: 2, placesOfOwner: 1)

    /// The maximum length of a validation's JSON.
    private static let maximumOutput = 1 << 20
    /// The time for which the answer to `problem()` is cached, because anyone may request it.
    private static let problemLifetime = Duration.seconds(60)

    /// - Parameters:
    ///   - executable: The command that validates a model and prints a ``ModelValidationReport`` as JSON.
    ///   - arguments: The arguments before the path of the model.
    ///   - timeout: The time after which the process is killed and the model is invalid.
    package init(executable: URL, arguments: [String], timeout: Duration = .seconds(30)) {
        self.executable = executable
        self.arguments = arguments
        self.timeout = timeout
    }

    /// Validates a file in a separate process, or returns a cached result.
    package func validation(of file: BlobFile, for project: String) async -> ModelValidation {
        if let result = results[file.hash] { return result }
        let result = try? await queue.run(as: project) { () -> ModelValidation in
            // Another task may have validated the same file while this task waited.
            if let result = await known(file.hash) { return result }
            return await validate(file.path)
        }
        guard let result else {
            return .unavailable(message: "The upload was canceled before the hub validated it.")
        }
        if case .unavailable = result { return result }
        results.insert(result, on: file.hash)
        return result
    }

    private func known(_ hash: BlobHash) -> ModelValidation? { results[hash] }

    /// The reason why validations do not work, if there is one.
    ///
    /// The result is cached and refreshed outside the queue; only the first caller waits for it.
    package func problem() async -> String? {
        let isFresh = lastProblem.map { .now - $0.time < Self.problemLifetime } ?? false
        if !isFresh, problemSearch == nil { problemSearch = Task { await findProblem() } }
        if let lastProblem { return lastProblem.problem }
        return await problemSearch?.value
    }

    /// Tries to validate a file that is not a model: the result shows whether there is a runtime.
    private func findProblem() async -> String? {
        var problem: String?
        if case .unavailable(let message) = await validate("/dev/null") { problem = message }
        lastProblem = (problem, .now)
        problemSearch = nil
        return problem
    }

    /// Runs the validating process to its end, or kills it.
    private nonisolated func validate(_ path: String) async -> ModelValidation {
        let output = Mutex(Data())
        let process = WorkerProcess(executable, arguments + [path])
        let ending = await process.run(timeout: timeout) { piece in
            output.withLock { output in
                output += piece
                return output.count <= Self.maximumOutput
            }
        }
        switch ending {
        case .finished(status: 0): return Self.result(output.withLock { $0 })
        case .finished, .crashed:
            return .invalid(message: "The model makes the runtime crash or takes too much memory; convert it again.")
        case .tooSlow:
            return .invalid(message: "The model takes too long to run even once; use a smaller one.")
        case .stopped: return .unavailable(message: "The upload was canceled before the hub validated it.")
        case .notStarted(let reason):
            return .unavailable(
                message:
                    "The hub cannot verify models: its validating process cannot be started (\(reason)); install the hub again."
            )
        }
    }

    /// The description of a model as JSON, shortened to the maximum size.
    private static func text(of inspection: ModelInspection) -> String {
        var inspection = inspection
        // The path is internal to the hub, and so is the name of the file in messages.
        let name = URL(filePath: inspection.path).lastPathComponent
        inspection.path = ""
        if !name.isEmpty, let problem = inspection.problem {
            let begins = problem.hasPrefix(name)
            inspection.problem =
                (begins ? "The model" : "")
                + (begins ? problem.dropFirst(name.count) : problem[...]).replacing(name, with: "the model")
        }
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        for isShortened in [false, true, true] {
            guard let data = try? encoder.encode(inspection) else { break }
            if data.count <= ModelValidation.maximumInspection { return String(decoding: data, as: UTF8.self) }
            if isShortened { inspection.metadata = [:] }
            let first = inspection.labels?.first ?? []
            inspection.labels?.first = isShortened ? [] : Array(first.prefix(5))
        }
        return "null"
    }

    private static func result(_ data: Data) -> ModelValidation {
        guard let report = try? JSONDecoder().decode(ModelValidationReport.self, from: data) else {
            return .invalid(message: "The model cannot be validated; its process printed no result.")
        }
        if report.isRuntimeMissing {
            return .unavailable(
                message: "The hub cannot verify models: \(report.message ?? "the runtime is missing")"
            )
        }
        if let limitation = report.limitation {
            return .unrunnable(reason: String(limitation.prefix(ModelValidation.maximumMessage)))
        }
        guard report.isValid, let inspection = report.inspection else {
            let message = report.message.map { String($0.prefix(ModelValidation.maximumMessage)) }
            return message.map { .invalid(message: $0) } ?? .notAModel
        }
        return .valid(inspection: text(of: inspection))
    }
}
