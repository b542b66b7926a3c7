import Foundation
import Hummingbird
import NIOCore
import Sightline
import TextFormatting

/// Pages about evaluations.
extension Console {
    /// Starts an evaluation of the archive in a form.
    @Sendable
    func evaluate(_ visit: ConsoleVisit, _ model: ModelRecord) async throws -> Response {
        try visit.caller.require(.publisher)
        // Checked before the pictures are received, which could be in vain.
        try await hub.evaluations.checkRoom(for: visit.caller.project.id)
        let limit = Hub.maximumArchiveSize
        let refusal = HubError(
            .resourceExhausted,
            "The archive has more than \(NumberText.bytes(limit)), the limit of this hub; evaluate on fewer pictures.",
            httpStatus: 413
        )
        let upload = try await ConsoleUpload(visit, limits: ["pictures": (limit, refusal)])
        guard let file = upload.files["pictures"] else {
            throw HubError(.invalidArgument, "No archive was chosen; drop a .zip file on the page, or choose one.")
        }
        let text = upload.form["version"]
        guard let number = text.isEmpty ? model.file?.version : Int(text) else {
            throw HubError(.invalidArgument, "No version was chosen; choose a version of the model.")
        }
        let evaluation = try await hub.evaluate(
            model,
            version: number,
            on: file.staged,
            named: file.name,
            by: visit.caller
        )
        return try .seeOther(Self.path(of: evaluation), for: visit.request)
    }

    static func path(of evaluation: EvaluationRecord) -> String { "/console/evaluations/\(evaluation.id)" }

    func addEvaluations(to routes: inout RouteTable) {
        let evaluation = "console/evaluations/{evaluation}"
        page(at: evaluation, in: &routes, use: ofEvaluation(evaluationPage))
        page(
            at: "\(evaluation)/status",
            in: &routes,
            use: ofEvaluation { _, evaluation, _ in
                try .json(await progress(of: evaluation))
            }
        )
        page(at: "\(evaluation)/report", in: &routes, use: ofEvaluation(report))
        form(at: "\(evaluation)/cancel", in: &routes, use: ofEvaluation(cancel))
        form(at: "\(evaluation)/again", in: &routes, use: ofEvaluation(repeatEvaluation))
        form(at: "\(evaluation)/delete", in: &routes, use: ofEvaluation(delete))
        form(at: "\(evaluation)/faster", in: &routes, use: ofEvaluation(serveFasterVersion))
        page(at: "\(evaluation)/cells/{cell}", in: &routes, use: ofEvaluation(cellPage))
        page(at: "\(evaluation)/pictures/{picture}", in: &routes, use: ofEvaluation(picture))
    }

    /// A page of the evaluation in the path.
    private func ofEvaluation(
        _ page: @escaping @Sendable (ConsoleVisit, EvaluationRecord, ModelRecord) async throws -> Response
    ) -> Page {
        { visit in
            let project = visit.caller.project.id
            guard let id = try? ModelRecord.id(visit.request["evaluation"]),
                let evaluation = try await hub.records.evaluation(id, of: project),
                let model = try await hub.records.model(evaluation.model, of: project)
            else {
                throw HubError(.notFound, "The project has no such evaluation; it may have been deleted.")
            }
            return try await page(visit, evaluation, model)
        }
    }

    @Sendable
    private func cancel(_ visit: ConsoleVisit, _ evaluation: EvaluationRecord, _: ModelRecord) async throws -> Response
    {
        _ = try await ConsoleForm(visit)
        return try await change(visit, thenTo: Self.path(of: evaluation)) {
            try await hub.cancelEvaluation(evaluation, by: visit.caller)
            return "The evaluation was canceled."
        }
    }

    @Sendable
    private func repeatEvaluation(
        _ visit: ConsoleVisit,
        _ evaluation: EvaluationRecord,
        _: ModelRecord
    ) async throws -> Response {
        _ = try await ConsoleForm(visit)
        try await hub.repeatEvaluation(evaluation, by: visit.caller)
        return try .seeOther(Self.path(of: evaluation), for: visit.request)
    }

    @Sendable
    private func delete(
        _ visit: ConsoleVisit,
        _ evaluation: EvaluationRecord,
        _ model: ModelRecord
    ) async throws -> Response {
        _ = try await ConsoleForm(visit)
        return try await change(visit, thenTo: Self.path(of: model, .evaluation)) {
            try await hub.deleteEvaluation(evaluation, by: visit.caller)
            return "The evaluation was deleted."
        }
    }

    @Sendable
    private func serveFasterVersion(
        _ visit: ConsoleVisit,
        _ evaluation: EvaluationRecord,
        _ model: ModelRecord
    ) async throws -> Response {
        _ = try await ConsoleForm(visit)
        return try await change(visit, thenTo: Self.path(of: model, .versions)) {
            let changed = try await hub.serveFasterVersion(of: evaluation, model, by: visit.caller)
            return "The hub serves the faster version as version \(changed.file?.version ?? 0); version "
                + "\(evaluation.version) is kept, and you can serve it again."
        }
    }

    /// The report as JSON, as a download.
    @Sendable
    private func report(_ visit: ConsoleVisit, _ evaluation: EvaluationRecord, _ model: ModelRecord) async throws
        -> Response
    {
        guard evaluation.state == .done else { throw HubError(.notFound, "The evaluation has no result.") }
        let data = try await hub.evaluationFiles.open(.report, of: evaluation.id).data()
        let name = "\(model.displayName)-\(evaluation.version)-evaluation-\(evaluation.id).json"
        return Response(
            status: .ok,
            headers: [.contentType: "application/json", .contentDisposition: "attachment; filename=\"\(name)\""],
            body: ResponseBody(byteBuffer: ByteBuffer(bytes: data))
        )
    }

    @Sendable
    private func picture(_ visit: ConsoleVisit, _ evaluation: EvaluationRecord, _: ModelRecord) async throws -> Response
    {
        guard let data = try await EvaluationThumbnails.data(visit.request["picture"], of: evaluation, hub) else {
            throw HubError.entityNotFound
        }
        return Response(
            status: .ok,
            headers: [.contentType: "image/jpeg", .cacheControl: "private, max-age=3600"],
            body: ResponseBody(byteBuffer: ByteBuffer(bytes: data))
        )
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
                "Waiting until \(NumberText.grouped(position, "other evaluation")) \(position == 1 ? "is" : "are") done"
            return Status(isOpen: true, done: 0, total: 0, text: text)
        }
        guard let step = await hub.evaluations.progress(of: evaluation.id) else {
            return Status(isOpen: true, done: 0, total: 0, text: "Starting")
        }
        let progress = step.progress
        let skipped = progress.skipped > 0 ? ", \(NumberText.grouped(progress.skipped)) of them cannot be used" : ""
        let work =
            switch step.comparing {
            case .served: "Comparing with the served version: "
            case .rewritten: "Comparing with a faster version: "
            case nil: ""
            }
        let text =
            "\(work)\(NumberText.grouped(progress.done)) of \(NumberText.grouped(progress.total, "picture"))\(skipped)"
        return Status(isOpen: true, done: progress.done, total: progress.total, text: text)
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
        /// Nil if the number of pictures is not known yet.
        var done: Int?
        var total: Int
        var progressText: String
        var report: EvaluationView?
        var served: ServedVersionView?
        var faster: FasterVersionView?
        var evaluationID: String
        var storedThreshold: String?
        var statusPath: String
    }

    @Sendable
    private func evaluationPage(
        _ visit: ConsoleVisit,
        _ evaluation: EvaluationRecord,
        _ model: ModelRecord
    ) async throws -> Response {
        var view: EvaluationView?
        var faster: FasterVersionView?
        let stored = try await hub.records.version(evaluation.version, of: model.id)?.confidenceThreshold
        if evaluation.state == .done {
            let fields = visit.request.query
            let result = try await hub.evaluations.result(of: evaluation, hub)
            faster = result.rewritten.map { FasterVersionView($0, of: evaluation, model) }
            let wanted = fields["threshold"].flatMap { Double($0) } ?? stored
            let report = result.report
            view = EvaluationView(
                report,
                EvaluationChoice(
                    path: Self.path(of: evaluation),
                    threshold: wanted ?? report.overall.best?.threshold ?? 0.5,
                    label: fields["label"].flatMap { Int($0) },
                    page: min(max(fields["labels"].flatMap { Int($0) } ?? 1, 1), 1_000_000),
                    thumbnails: try await EvaluationThumbnails.shown(
                        BoxGallery.shown(of: report).map(\.path),
                        of: evaluation,
                        hub
                    )
                )
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
                canRepeat: visit.caller.role >= .publisher && !evaluation.state.isOpen && evaluation.state != .done,
                message: evaluation.message ?? "",
                done: progress.total > 0 ? progress.done : nil,
                total: max(progress.total, 1),
                progressText: progress.text,
                report: view,
                served: ServedVersionView(evaluation, model),
                faster: faster,
                evaluationID: "\(evaluation.id)",
                storedThreshold: stored.map { "\($0)" },
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
    @Sendable
    private func cellPage(
        _ visit: ConsoleVisit,
        _ evaluation: EvaluationRecord,
        _ model: ModelRecord
    ) async throws -> Response {
        let name = visit.request["cell"]
        guard evaluation.state == .done else { throw HubError(.notFound, "The evaluation has no result.") }
        guard
            let cell = ConfusionMatrixView.cell(
                named: name,
                of: try await hub.evaluations.result(of: evaluation, hub).report
            )
        else {
            throw HubError(.notFound, "This cell has no pictures.")
        }
        let shown = try await EvaluationThumbnails.shown(cell.pictures.map(\.path), of: evaluation, hub)
        let isPart = cell.pictures.count < cell.count
        let place = Self.path(of: evaluation)
        return .page(
            "evaluation-cell",
            ConsoleChrome(title: cell.title, visit: visit, section: "models"),
            CellPage(
                modelPath: Self.path(of: model),
                modelName: model.displayName,
                evaluationPath: place,
                title: cell.title,
                summary: NumberText.grouped(cell.count, "picture")
                    + (isPart
                        ? "; the \(cell.pictures.count) most confident are shown." : ", the most confident first."),
                pictures: cell.pictures.map { picture in
                    let file = EvaluationThumbnails.name(of: picture.path)
                    return .init(
                        path: "\(place)/pictures/\(file)",
                        name: picture.path,
                        isShown: shown.contains(file),
                        confidence: NumberText.percent(picture.confidence)
                    )
                }
            )
        )
    }
}
