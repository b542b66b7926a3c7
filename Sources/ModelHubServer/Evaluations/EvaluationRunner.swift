import Foundation
import HTTPServing
import Logging
import ServiceLifecycle
import SightlineEvaluation
import Synchronization

/// Runs evaluations one after another, each in a separate process. Projects take turns. Callers do not wait for the
/// results.
actor EvaluationRunner {
    private struct Job {
        var evaluation: EvaluationRecord
        var progress: Progress
        /// Nil until it starts.
        var process: WorkerProcess?
        /// The paths of the files of the process.
        var paths: (models: [String], pictures: String)?
        var isStopped = false
    }

    /// The last output of the process.
    private final class Progress: Sendable {
        let value = Mutex<EvaluationStep?>(nil)
    }

    private var waiting = FairLine<EvaluationRecord>()
    private var running: Job?
    private var isStopped = false
    private var results: [(id: Int64, result: EvaluationResult)] = []

    /// The number of results in memory, for viewers who open several pages of a report.
    private static let maximumResults = 4
    /// The maximum duration of an evaluation.
    private static let timeout = Duration.seconds(3600)
    /// The maximum number of open evaluations in a project.
    static let maximumOpen = 5

    /// Adds an evaluation after the others of its project.
    ///
    /// - Throws: `.resourceExhausted` if the project has too many.
    func add(_ evaluation: EvaluationRecord, of hub: Hub) throws(HubError) {
        try checkRoom(for: evaluation.project)
        guard !isStopped else { return }
        waiting.append(evaluation, of: evaluation.project)
        if running == nil { startNext(hub) }
    }

    /// Checks that a project may start an evaluation.
    ///
    /// - Throws: `.resourceExhausted` if it has too many.
    func checkRoom(for project: String) throws(HubError) {
        let count = waiting.count(of: project) + (running?.evaluation.project == project ? 1 : 0)
        guard count < Self.maximumOpen else {
            throw HubError(
                .resourceExhausted,
                "The project \"\(project)\" already has \(count) open evaluations; wait until they are done, or cancel some."
            )
        }
    }

    /// The evaluations that are waiting or running.
    var open: [EvaluationRecord] { waiting.elements + (running.map { [$0.evaluation] } ?? []) }

    /// The progress of an evaluation; nil if it is unknown.
    func progress(of id: Int64) -> EvaluationStep? {
        guard let running, running.evaluation.id == id else { return nil }
        return running.progress.value.withLock { $0 }
    }

    /// The number of evaluations before this evaluation.
    func position(of id: Int64) -> Int? {
        waiting.elements.firstIndex { $0.id == id }.map { $0 + (running == nil ? 0 : 1) }
    }

    /// Cancels an evaluation; false if it is not open.
    func cancel(_ id: Int64) -> Bool {
        if waiting.removeFirst(where: { $0.id == id }) != nil { return true }
        guard running?.evaluation.id == id else { return false }
        stopRunning()
        return true
    }

    /// Stops all evaluations, because the hub stops.
    func stop() {
        isStopped = true
        waiting.removeAll()
        stopRunning()
    }

    private func stopRunning() {
        running?.isStopped = true
        running?.process?.stop()
    }

    private func startNext(_ hub: Hub) {
        guard !isStopped, let evaluator = hub.options.evaluator, let evaluation = waiting.popFirst()?.element else {
            return
        }
        let job = Job(evaluation: evaluation, progress: Progress())
        running = job
        Task(executorPreference: BlockingExecutor.shared) { await self.run(job, evaluator, hub) }
    }

    private func run(_ job: Job, _ evaluator: URL, _ hub: Hub) async {
        defer {
            running = nil
            startNext(hub)
        }
        var evaluation = job.evaluation
        evaluation.state = .running
        // Another hub may have canceled it.
        if (try? await hub.records.updateOpen(evaluation)) == false { return }
        let last = Mutex<Data>(Data())
        let progress = job.progress
        let lines = LineReader { line in
            // Lines of progress are short; a report can have some ten million bytes.
            if line.count < 1024, let step = try? JSONDecoder().decode(EvaluationStep.self, from: line) {
                progress.value.withLock { $0 = step }
            } else {
                last.withLock { $0 = line }
            }
        }
        do {
            let ending = try await run(evaluation, evaluator, hub) { lines.take($0) }
            evaluation.endTime = hub.now()
            try await finish(&evaluation, ending, last.withLock { $0 }, hub)
        } catch {
            evaluation.endTime = hub.now()
            evaluation.state = .failed
            evaluation.message = "The evaluation failed: \(error)"
        }
        if let paths = running?.paths {
            evaluation.message = evaluation.message?
                .replacing(paths.pictures, with: evaluation.archiveName)
            for model in paths.models { evaluation.message = evaluation.message?.replacing(model, with: "the model") }
        }
        let entry = AuditEntry(
            time: hub.now(),
            project: evaluation.project,
            actor: "hub",
            action: "evaluation.done",
            target: "projects/\(evaluation.project)/models/\(evaluation.model)/evaluations/\(evaluation.id)",
            detail: evaluation.score.map { "score \($0)" } ?? "",
            event: .evaluationDone
        )
        _ = try? await hub.records.updateOpen(evaluation, audit: evaluation.state == .done ? entry : nil)
    }

    /// Runs the process on the files of an evaluation.
    private func run(
        _ evaluation: EvaluationRecord,
        _ evaluator: URL,
        _ hub: Hub,
        onOutput: @escaping @Sendable (Data) -> Bool
    ) async throws -> WorkerProcess.Ending {
        let command = try evaluation.evaluator.workerCommand
        let model = try await hub.blobs.open(evaluation.hash)
        let pictures = try await hub.evaluationFiles.open(.pictures, of: evaluation.id)
        return try await hub.withPath(of: model) { model in
            try await hub.withPath(of: pictures) { pictures in
                guard let served = evaluation.served else {
                    return try await self.run(evaluator, command, model, served: nil, pictures, onOutput)
                }
                return try await hub.withPath(of: try await hub.blobs.open(served.hash)) { served in
                    try await self.run(evaluator, command, model, served: served, pictures, onOutput)
                }
            }
        }
    }

    private func run(
        _ evaluator: URL,
        _ command: String,
        _ model: String,
        served: String?,
        _ pictures: String,
        _ onOutput: @escaping @Sendable (Data) -> Bool
    ) async throws -> WorkerProcess.Ending {
        guard let process = start(evaluator, command, model: model, served: served, pictures: pictures) else {
            return .stopped
        }
        return await process.run(timeout: Self.timeout) { onOutput($0) }
    }

    /// The process of the running evaluation; nil if it was canceled meanwhile.
    private func start(
        _ evaluator: URL,
        _ command: String,
        model: String,
        served: String?,
        pictures: String
    ) -> WorkerProcess? {
        guard running?.isStopped == false else { return nil }
        let comparison = served.map { ["--served", $0] } ?? []
        let process = WorkerProcess(evaluator, [command, model, pictures] + comparison)
        running?.process = process
        running?.paths = ([model] + [served].compactMap(\.self), pictures)
        return process
    }

    private func finish(
        _ evaluation: inout EvaluationRecord,
        _ ending: WorkerProcess.Ending,
        _ line: Data,
        _ hub: Hub
    ) async throws {
        if case .stopped = ending {
            evaluation.state = .cancelled
            return
        }
        // The report comes before the comparisons, whose failure does not spoil it.
        if let result = try await Self.storeResult(line, of: evaluation, hub) {
            evaluation.state = .done
            evaluation.pictureCount = result.report.pictureCount
            evaluation.score = result.report.score
            evaluation.comparison = try result.served.map {
                String(decoding: try JSONEncoder().encode($0), as: UTF8.self)
            }
            return
        }
        evaluation.state = .failed
        switch ending {
        case .finished, .stopped:
            evaluation.message =
                (try? JSONDecoder().decode(EvaluationFailure.self, from: line).error)
                ?? "The evaluation ended without a report; try again."
        case .crashed:
            evaluation.message =
                "A picture or the model made the evaluation crash, or it exceeded its time or memory; try fewer pictures."
        case .tooSlow: evaluation.message = "The evaluation took more than an hour; try fewer pictures."
        case .notStarted(let reason):
            evaluation.message = "The evaluation cannot be started (\(reason)); install the hub again."
        }
    }

    /// Stores a result; nil if the line is not a result.
    private static func storeResult(
        _ line: Data,
        of evaluation: EvaluationRecord,
        _ hub: Hub
    ) async throws -> EvaluationResult? {
        guard line.starts(with: Data(#"{"report""#.utf8)) else { return nil }
        let kind = try evaluation.evaluator
        let result = try await DiskThreads.run { try EvaluationResult.read(line, of: kind) }
        try await hub.evaluationFiles.store(line, as: .report, of: evaluation.id)
        return result
    }

    /// The result of a finished evaluation.
    ///
    /// - Throws: `.dataLoss` if it is missing.
    func result(of evaluation: EvaluationRecord, _ hub: Hub) async throws -> EvaluationResult {
        if let index = results.firstIndex(where: { $0.id == evaluation.id }) {
            let known = results.remove(at: index)
            results.append(known)
            return known.result
        }
        let kind = try evaluation.evaluator
        let result: EvaluationResult
        do {
            let data = try await hub.evaluationFiles.open(.report, of: evaluation.id).data()
            result = try await DiskThreads.run { try EvaluationResult.read(data, of: kind) }
        } catch {
            throw HubError(.dataLoss, "The report of this evaluation is lost; evaluate the model again.")
        }
        results.append((evaluation.id, result))
        if results.count > Self.maximumResults { results.removeFirst() }
        return result
    }

    /// Removes the cached result of an evaluation that is repeated or deleted.
    func forget(_ id: Int64) { results.removeAll { $0.id == id } }
}

/// Stops evaluations when the hub stops.
struct EvaluationStopService: Service {
    let hub: Hub

    func run() async throws {
        try? await gracefulShutdown()
        await hub.evaluations.stop()
    }
}
