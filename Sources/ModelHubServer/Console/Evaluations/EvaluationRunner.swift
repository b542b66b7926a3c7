import Foundation
import Logging
import NIOPosix
import ServiceLifecycle
import SightlineEvaluation
import Synchronization

/// Does evaluations, one after the other, each in a process of its own. Projects take turns. Nobody has to wait for them.
actor EvaluationRunner {
    private struct Job {
        var evaluation: EvaluationRecord
        var process: WorkerProcess
        var progress: Progress
    }

    /// What the process said last.
    private final class Progress: Sendable {
        let value = Mutex<EvaluationProgress?>(nil)
    }

    private var waiting = FairLine<EvaluationRecord>()
    private var running: Job?
    private var isStopped = false
    private var reports: [(id: Int64, report: LabelReport)] = []

    /// How many reports are kept in memory, for those who look at one from all sides.
    private static let maximumReports = 4
    /// How long an evaluation may take.
    private static let timeout = Duration.seconds(3600)
    /// How many evaluations of a project may run or wait.
    static let maximumOpen = 5

    /// Puts an evaluation behind the others of its project.
    ///
    /// - Throws: `.resourceExhausted` if the project has too many.
    func add(_ evaluation: EvaluationRecord, of hub: Hub) throws(HubError) {
        try checkRoom(for: evaluation.project)
        guard !isStopped else { return }
        waiting.append(evaluation, of: evaluation.project)
        if running == nil { startNext(hub) }
    }

    /// Says whether a project may begin an evaluation.
    ///
    /// - Throws: `.resourceExhausted` if it has too many.
    func checkRoom(for project: String) throws(HubError) {
        let count = waiting.count(of: project) + (running?.evaluation.project == project ? 1 : 0)
        guard count < Self.maximumOpen else {
            throw HubError(
                .resourceExhausted,
                "\(count) evaluations of the project \"\(project)\" run or wait already; begin others when these are done, or cancel some."
            )
        }
    }

    /// How far one is; nil if that is not known.
    func progress(of id: Int64) -> EvaluationProgress? {
        guard let running, running.evaluation.id == id else { return nil }
        return running.progress.value.withLock { $0 }
    }

    /// How many come before one.
    func position(of id: Int64) -> Int? {
        waiting.elements.firstIndex { $0.id == id }.map { $0 + (running == nil ? 0 : 1) }
    }

    /// Ends one; gives false if it neither runs nor waits.
    func cancel(_ id: Int64) -> Bool {
        if waiting.removeFirst(where: { $0.id == id }) != nil { return true }
        guard let running, running.evaluation.id == id else { return false }
        running.process.stop()
        return true
    }

    /// Ends all, for the hub is told to stop.
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
        // What was deleted meanwhile is not there any more, and nothing is updated.
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
                "A picture or the model made the evaluation crash, or it ran out of its time or memory; try fewer pictures."
        case .stopped: evaluation.state = .cancelled
        case .tooSlow: evaluation.message = "The evaluation took more than an hour; try fewer pictures."
        case .notStarted(let reason):
            evaluation.message = "The evaluation cannot be started (\(reason)); install the hub again."
        }
    }

    private struct ReportLine: Codable {
        var report: LabelReport

        /// The report of a line. Whoever wrote it ran a stranger's model, so that it is checked.
        static func report(_ line: Data) throws -> LabelReport {
            let report = try JSONDecoder().decode(ReportLine.self, from: line).report
            try report.check()
            return report
        }
    }

    /// Stores a report; gives nil if the line is none.
    private static func storeReport(_ line: Data, in folder: URL) async throws -> LabelReport? {
        guard line.starts(with: Data(#"{"report""#.utf8)) else { return nil }
        return try await NIOThreadPool.singleton.runIfActive {
            let report = try ReportLine.report(line)
            try EvaluationFolder.write(line, as: EvaluationFolder.report, in: folder)
            return report
        }
    }

    /// The report of an evaluation that is done.
    ///
    /// - Throws: `.dataLoss` if it is not there.
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

    /// Forgets the report of an evaluation that is done again or deleted.
    func forget(_ id: Int64) { reports.removeAll { $0.id == id } }
}

/// Ends evaluations when the hub is told to stop.
struct EvaluationStopping: Service {
    let hub: Hub

    func run() async throws {
        try? await gracefulShutdown()
        await hub.evaluations.stop()
    }
}
