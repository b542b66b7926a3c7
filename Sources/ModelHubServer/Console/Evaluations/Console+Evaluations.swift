import Foundation
import Hummingbird
import NIOCore
import Sightline
import SightlineEvaluation

/// Pages about evaluations.
extension Console {
    /// Starts an evaluation of the archive in a form.
    func evaluate(_ visit: ConsoleVisit, _ model: ModelRecord) async throws -> Response {
        try visit.caller.require(.publish)
        // Checked before the pictures are received, which could be in vain.
        try await hub.evaluations.checkRoom(for: visit.caller.project.id)
        let limit = Hub.maximumArchiveSize
        let refusal = HubError(
            .resourceExhausted,
            "The archive has more than \(ConsoleText.bytes(limit)), the limit of this hub; evaluate on fewer pictures.",
            httpStatus: 413
        )
        let upload = try await ConsoleUpload(visit, limits: ["pictures": (limit, refusal)])
        guard let file = upload.files["pictures"] else {
            throw HubError(.invalidArgument, "No archive was chosen; drop a .zip file on the page, or choose one.")
        }
        let evaluation = try await hub.evaluate(model, on: file.staged, named: file.name, by: visit.caller)
        return try .seeOther(Self.path(of: evaluation), for: visit.request)
    }

    static func path(of evaluation: EvaluationRecord) -> String { "/console/evaluations/\(evaluation.id)" }

    func evaluations(_ visit: ConsoleVisit, _ path: ArraySlice<String>) async throws -> Response {
        let path = Array(path)
        guard let text = path.first, let id = try? HubAPI.modelID(text),
            let evaluation = try await hub.metadata.evaluation(id, of: visit.caller.project.id),
            let model = try await hub.metadata.model(evaluation.model, of: visit.caller.project.id)
        else {
            throw HubError(.notFound, "The project has no such evaluation; it may have been deleted.")
        }
        let place = Self.path(of: evaluation)
        switch (path.count, path.count > 1 ? path[1] : "", visit.request.method == .post) {
        case (1, _, false): return try await evaluationPage(visit, evaluation, model)
        case (2, "status", false): return try await status(of: evaluation)
        case (2, "cancel", true):
            _ = try await ConsoleForm(visit)
            return try await change(visit, thenTo: place) {
                try await hub.cancelEvaluation(evaluation, by: visit.caller)
                return "The evaluation was canceled."
            }
        case (2, "again", true):
            _ = try await ConsoleForm(visit)
            try await hub.repeatEvaluation(evaluation, by: visit.caller)
            return try .seeOther(place, for: visit.request)
        case (2, "delete", true):
            _ = try await ConsoleForm(visit)
            return try await change(visit, thenTo: Self.path(of: model)) {
                try await hub.deleteEvaluation(evaluation, by: visit.caller)
                return "The evaluation was deleted."
            }
        case (3, "cells", false): return try await cellPage(visit, evaluation, model, path[2])
        case (3, "pictures", false):
            guard let data = EvaluationThumbnails.data(path[2], of: evaluation, hub) else {
                throw HubError.entityNotFound
            }
            return Response(
                status: .ok,
                headers: [.contentType: "image/jpeg", .cacheControl: "private, max-age=3600"],
                body: ResponseBody(byteBuffer: ByteBuffer(bytes: data))
            )
        default: throw HubError(.notFound, "There is no such page.")
        }
    }

    private struct Status: Encodable {
        var isOpen: Bool
        var done: Int
        var total: Int
        var text: String
    }

    private func progress(of evaluation: EvaluationRecord) async -> Status {
        guard evaluation.state.isOpen else { return Status(isOpen: false, done: 1, total: 1, text: "") }
        if let position = await hub.evaluations.position(of: evaluation.id), position > 0 {
            let text =
                "Waiting until \(ConsoleText.count(position, "other evaluation")) \(position == 1 ? "is" : "are") done"
            return Status(isOpen: true, done: 0, total: 0, text: text)
        }
        guard let progress = await hub.evaluations.progress(of: evaluation.id) else {
            return Status(isOpen: true, done: 0, total: 0, text: "Starting")
        }
        let skipped = progress.skipped > 0 ? ", \(ConsoleText.count(progress.skipped)) of them cannot be used" : ""
        let text = "\(ConsoleText.count(progress.done)) of \(ConsoleText.count(progress.total, "picture"))\(skipped)"
        return Status(isOpen: true, done: progress.done, total: progress.total, text: text)
    }

    private func status(of evaluation: EvaluationRecord) async throws -> Response {
        try .json(await progress(of: evaluation))
    }

    private struct EvaluationPage: Sendable {
        var path: String
        var modelPath: String
        var modelName: String
        var archiveName: String
        var version: String
        var actor: String
        var created: ConsoleTime
        var isOpen: Bool
        var isDone: Bool
        var isFailed: Bool
        var isCancelled: Bool
        var canRepeat: Bool
        var message: String
        var done: Int
        var total: Int
        var hasTotal: Bool
        var progressText: String
        var report: EvaluationView?
        var evaluationID: String
        var storedThreshold: String
        var hasStoredThreshold: Bool
        var statusPath: String
    }

    private func evaluationPage(
        _ visit: ConsoleVisit,
        _ evaluation: EvaluationRecord,
        _ model: ModelRecord
    ) async throws -> Response {
        var view: EvaluationView?
        if evaluation.state == .done {
            let fields = visit.request.query
            let report = try await hub.evaluations.report(of: evaluation, hub)
            let wanted = fields["threshold"].flatMap { Double($0) } ?? model.confidenceThreshold
            view = EvaluationView(
                report,
                path: Self.path(of: evaluation),
                threshold: wanted ?? report.overall.best?.threshold ?? 0.5,
                label: fields["label"].flatMap { Int($0) },
                page: min(max(fields["labels"].flatMap { Int($0) } ?? 1, 1), 1_000_000)
            )
        }
        let progress = await progress(of: evaluation)
        return .page(
            "evaluation",
            ConsoleChrome(title: "Evaluation of \(model.displayName)", visit: visit, section: "models"),
            EvaluationPage(
                path: Self.path(of: evaluation),
                modelPath: Self.path(of: model),
                modelName: model.displayName,
                archiveName: evaluation.archiveName,
                version: "\(evaluation.version)",
                actor: ConsoleChrome.name(of: evaluation.actor),
                created: ConsoleTime(evaluation.createTime),
                isOpen: evaluation.state.isOpen,
                isDone: evaluation.state == .done,
                isFailed: evaluation.state == .failed,
                isCancelled: evaluation.state == .cancelled,
                canRepeat: visit.caller.role >= .publish && !evaluation.state.isOpen && evaluation.state != .done,
                message: evaluation.message ?? "",
                done: progress.done,
                total: max(progress.total, 1),
                hasTotal: progress.total > 0,
                progressText: progress.text,
                report: view,
                evaluationID: "\(evaluation.id)",
                storedThreshold: model.confidenceThreshold.map { "\($0)" } ?? "",
                hasStoredThreshold: model.confidenceThreshold != nil,
                statusPath: Self.path(of: evaluation) + "/status"
            )
        )
    }

    private struct CellPage: Sendable {
        struct Picture: Sendable {
            var path: String
            var name: String
            var isShown: Bool
            var confidence: String
        }

        var modelPath: String
        var modelName: String
        var evaluationPath: String
        var title: String
        var summary: String
        var pictures: [Picture]
    }

    /// The pictures in a cell of the confusion matrix.
    private func cellPage(
        _ visit: ConsoleVisit,
        _ evaluation: EvaluationRecord,
        _ model: ModelRecord,
        _ name: String
    ) async throws -> Response {
        guard evaluation.state == .done else { throw HubError(.notFound, "The evaluation has no result.") }
        let report = try await hub.evaluations.report(of: evaluation, hub)
        guard let cell = report.confusion.first(where: { EvaluationView.cellName($0) == name }) else {
            throw HubError(.notFound, "This cell has no pictures.")
        }
        try await EvaluationThumbnails.make(cell.pictures.map(\.path), of: evaluation, hub)
        let truth = EvaluationView.name(cell.truth, in: report, otherwise: "No label")
        let answer = EvaluationView.name(cell.answer, in: report, otherwise: "no answer")
        let title = cell.truth == cell.answer ? "\(truth), recognized" : "\(truth), mistaken for \(answer)"
        let isPart = cell.pictures.count < cell.count
        let place = Self.path(of: evaluation)
        return .page(
            "evaluation-cell",
            ConsoleChrome(title: title, visit: visit, section: "models"),
            CellPage(
                modelPath: Self.path(of: model),
                modelName: model.displayName,
                evaluationPath: place,
                title: title,
                summary: ConsoleText.count(cell.count, "picture")
                    + (isPart
                        ? "; the \(cell.pictures.count) most confident are shown." : ", the most confident first."),
                pictures: cell.pictures.map { picture in
                    let file = EvaluationThumbnails.name(of: picture.path)
                    return .init(
                        path: "\(place)/pictures/\(file)",
                        name: picture.path,
                        isShown: EvaluationThumbnails.data(file, of: evaluation, hub) != nil,
                        confidence: ConsoleText.percent(Double(picture.confidence))
                    )
                }
            )
        )
    }

    /// The evaluations on a model's page.
    struct EvaluationList: Sendable {
        struct Row: Sendable {
            var path: String
            var created: ConsoleTime
            var version: String
            var archive: String
            var pictures: String
            var top1: String
            var state: String
            var kind: String
        }

        var rows: [Row]
        var hasRows: Bool
        var canBegin: Bool
        var refusal: String
        var hasRefusal: Bool
        var limit: String
        var kept: Int
    }

    func evaluationList(of model: ModelRecord, task: ModelInspection.Purpose?, by caller: Caller) async throws
        -> EvaluationList
    {
        let rows = try await hub.metadata.evaluations(of: model.id).map { evaluation in
            let (state, kind) =
                switch evaluation.state {
                case .waiting: ("Waiting", "neutral")
                case .running: ("Running", "accent")
                case .done: ("Done", "good")
                case .failed: ("Failed", "bad")
                case .cancelled: ("Cancelled", "neutral")
                }
            return EvaluationList.Row(
                path: Self.path(of: evaluation),
                created: ConsoleTime(evaluation.createTime),
                version: "\(evaluation.version)",
                archive: evaluation.archiveName,
                pictures: evaluation.pictureCount.map { ConsoleText.count($0) } ?? "–",
                top1: ConsoleText.percent(evaluation.top1),
                state: state,
                kind: kind
            )
        }
        let refusal =
            model.file == nil || model.file?.warning != nil
            ? "Upload a model that the hub can run first."
            : task != .labeling
                ? "Labeling models can be evaluated here; for detection models, use `sightline evaluate boxes`."
                : hub.options.evaluator == nil ? "This hub cannot evaluate models." : ""
        return EvaluationList(
            rows: rows,
            hasRows: !rows.isEmpty,
            canBegin: refusal.isEmpty && caller.role >= .publish,
            refusal: refusal,
            hasRefusal: !refusal.isEmpty,
            limit: ConsoleText.bytes(Hub.maximumArchiveSize),
            kept: Hub.maximumEvaluations
        )
    }
}
