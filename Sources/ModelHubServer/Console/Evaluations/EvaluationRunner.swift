import Foundation
import Logging
import NIOPosix
import ServiceLifecycle
import SightlineEvaluation
import Synchronization

/// Runs evaluations one after another, each in a separate process. Projects take turns. Callers do not wait for the
/// results.
actor EvaluationRunner {
    private struct Job {
        var evaluation: EvaluationRecord
        var process: WorkerProcess
        var progress: Progress
    }

    /// The last output of the process.
    private final class Progress: Sendable {
        let value = Mutex<EvaluationProgress?>(nil)
    }

    private var waiting = FairLine<EvaluationRecord>()
    private var running: Job?
    private var isStopped = false
    private var reports: [(id: Int64, report: LabelReport)] = []

    /// The number of reports in memory, for viewers who open several pages of a report.
    private static let maximumReports = 4
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

    /// The progress of an evaluation; nil if it is unknown.
    func progress(of id: Int64) -> EvaluationProgress? {
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
        guard let running, running.evaluation.id == id else { return false }
        running.process.stop()
        return true
    }

    /// Stops all evaluations, because the hub stops.
    func stop() {
        isStopped = true
        waiting.removeAll()
        running?.process.stop()
    }

    private func startNext(_ hub: Hub) {
        guard !isStopped, let evaluator = hub.options.evaluator, let evaluation = waiting.popFirst()?.element else {
            return
        }
        let folder = hub.folder(of: evaluation.id)
        let model = (try? hub.blobs.file(for: evaluation.hash).path) ?? "/dev/null"
        let archive = folder.appending(path: EvaluationFolder.archive).path
        let job = Job(
            evaluation: evaluation,
            process: WorkerProcess(evaluator, ["evaluate-labels", model, archive]),
            progress: Progress()
        )
        running = job
        Task {
            await self.run(job, model: model, archive: archive, hub)
            self.running = nil
            self.startNext(hub)
        }
    }

    private struct Line: Decodable {
        var progress: EvaluationProgress?
        var error: String?
    }

    private func run(_ job: Job, model: String, archive: String, _ hub: Hub) async {
        var evaluation = job.evaluation
        evaluation.state = .running
        try? await hub.metadata.update(evaluation)
        let last = Mutex<Data>(Data())
        let progress = job.progress
        let lines = LineReader { line in
            if line.starts(with: Data(#"{"progress""#.utf8)) {
                let value = try? JSONDecoder().decode(Line.self, from: line).progress
                if let value { progress.value.withLock { $0 = value } }
            } else {
                last.withLock { $0 = line }
            }
        }
        let ending = await job.process.run(timeout: Self.timeout) { lines.take($0) }
        evaluation.endTime = hub.now()
        do {
            try await finish(&evaluation, ending, last.withLock { $0 }, in: hub.folder(of: evaluation.id))
        } catch {
            evaluation.state = .failed
            evaluation.message = "The report cannot be stored: \(error)"
        }
        evaluation.message = evaluation.message?
            .replacing(archive, with: evaluation.archiveName)
            .replacing(model, with: "the model")
        // The record of a deleted evaluation no longer exists; then there is nothing to update.
        try? await hub.metadata.update(evaluation)
    }

    private func finish(
        _ evaluation: inout EvaluationRecord,
        _ ending: WorkerProcess.Ending,
        _ line: Data,
        in folder: URL
    ) async throws {
        evaluation.state = .failed
        switch ending {
        case .finished:
            if let report = try await Self.storeReport(line, in: folder) {
                evaluation.state = .done
                evaluation.pictureCount = report.pictureCount
                evaluation.top1 = report.top1
            } else {
                evaluation.message =
                    (try? JSONDecoder().decode(Line.self, from: line).error)
                    ?? "The evaluation ended without a report; try again."
            }
        case .crashed:
            evaluation.message =
                "A picture or the model made the evaluation crash, or it exceeded its time or memory; try fewer pictures."
        case .stopped: evaluation.state = .cancelled
        case .tooSlow: evaluation.message = "The evaluation took more than an hour; try fewer pictures."
        case .notStarted(let reason):
            evaluation.message = "The evaluation cannot be started (\(reason)); install the hub again."
        }
    }

    private struct ReportLine: Codable {
        var report: LabelReport

        /// Reads a report from a line. The line is checked, because its process ran an untrusted model.
        static func report(_ line: Data) throws -> LabelReport {
            let report = try JSONDecoder().decode(ReportLine.self, from: line).report
            try report.check()
            return report
        }
    }

    /// Stores a report; nil if the line is not a report.
    private static func storeReport(_ line: Data, in folder: URL) async throws -> LabelReport? {
        guard line.starts(with: Data(#"{"report""#.utf8)) else { return nil }
        return try await NIOThreadPool.singleton.runIfActive {
            let report = try ReportLine.report(line)
            try EvaluationFolder.write(line, as: EvaluationFolder.report, in: folder)
            return report
        }
    }

    /// The report of a finished evaluation.
    ///
    /// - Throws: `.dataLoss` if it is missing.
    func report(of evaluation: EvaluationRecord, _ hub: Hub) async throws -> LabelReport {
        if let index = reports.firstIndex(where: { $0.id == evaluation.id }) {
            let known = reports.remove(at: index)
            reports.append(known)
            return known.report
        }
        let url = hub.folder(of: evaluation.id).appending(path: EvaluationFolder.report)
        let report: LabelReport
        do {
            report = try await NIOThreadPool.singleton.runIfActive {
                try ReportLine.report(try Data(contentsOf: url))
            }
        } catch {
            throw HubError(.dataLoss, "The report of this evaluation is lost; evaluate the model again.")
        }
        reports.append((evaluation.id, report))
        if reports.count > Self.maximumReports { reports.removeFirst() }
        return report
    }

    /// Removes the cached report of an evaluation that is repeated or deleted.
    func forget(_ id: Int64) { reports.removeAll { $0.id == id } }
}

/// Stops evaluations when the hub stops.
struct EvaluationStopping: Service {
    let hub: Hub

    func run() async throws {
        try? await gracefulShutdown()
        await hub.evaluations.stop()
    }
}
