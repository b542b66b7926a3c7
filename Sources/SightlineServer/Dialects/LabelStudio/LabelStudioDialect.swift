import Foundation
import HTTPServing
import Hummingbird
import Sightline
import TextFormatting

/// The back end that Label Studio asks for predictions: boxes with names, and names of whole pictures.
///
/// Source: Label Studio's documentation ("Write your own ML backend") and its client, `label_studio/ml/api_connector.py`. Each
/// request for predictions has the project's labeling interface; of a project nothing is kept but the place of its uploaded pictures.
struct LabelStudioDialect: Dialect {
    private let service: AnswerService
    private let projects = LabelStudioProjects()

    let name = "Label Studio"
    let summary = "A back end of Label Studio: predictions for tasks with pictures."

    init(service: AnswerService) { self.service = service }

    /// The tasks of a request. Label Studio sends 100.
    private static let taskLimit = 1000
    private typealias Description = Route<AnswerAccess>.Description

    /// The addresses at which a project may know the back end: with all models, or with a single one.
    private static let addresses: [(prefix: String, setup: Description?, predict: Description?)] = [
        ("", { .labelStudioSetup }, { .labelStudioPredict }), ("label-studio/{model}/", nil, nil),
    ]

    func add(to routes: inout AnswerRoutes) {
        for (prefix, describedSetup, describedPredict) in Self.addresses {
            // Label Studio sends no token when it asks for the health.
            routes.on(.get, at: "\(prefix)health", for: .everybody) { _ in
                .json(text: #"{"status":"UP","model_class":"Sightline"}"#)
            }
            let (setup, predict) = (Self.outsideEventLoop(setup), Self.outsideEventLoop(predict))
            routes.on(.post, at: "\(prefix)setup", use: setup, describedBy: describedSetup)
            routes.on(.post, at: "\(prefix)predict", use: predict, describedBy: describedPredict)
            routes.on(.post, at: "\(prefix)webhook", use: Self.outsideEventLoop(webhook))
            for path in ["health", "setup", "predict", "webhook"] { routes.refuseOtherMethods(at: prefix + path) }
        }
    }

    private static func outsideEventLoop(_ handler: @escaping Route<AnswerAccess>.Handler)
        -> Route<AnswerAccess>.Handler
    {
        Route<AnswerAccess>.outsideEventLoop(handler)
    }

    /// Answers whether the models have anything for a project.
    @Sendable
    private func setup(_ request: APIRequest) async throws -> Response {
        let (document, _) = try await service.pictureDocument(LabelStudioRequest.Setup.self, of: request)
        try projects.note(document, from: request.client)
        let plan = try plan(document.schema, document.project, request)
        var json = JSONText()
        json.object { json in json.field("model_version") { $0.string(plan.modelVersion) } }
        return .json(text: json.text)
    }

    @Sendable
    private func predict(_ request: APIRequest) async throws -> Response {
        let (document, share) = try await service.pictureDocument(LabelStudioRequest.Predict.self, of: request)
        guard document.tasks.count <= Self.taskLimit else {
            throw AnswerError.invalid("The request has \(document.tasks.count) tasks; send at most \(Self.taskLimit).")
        }
        let plan = try plan(document.interface, document.project, request)
        let client = AnswerClient(request)
        let predictions = try await document.tasks.concurrentMap(limit: service.options.workers) { task in
            try await plan.prediction(for: task, client: client, share: share)
        }
        var json = JSONText()
        json.object { json in json.field("model_version") { $0.string(plan.modelVersion) } }
        return .json(text: json.text.dropLast() + ",\"results\":[" + predictions.joined(separator: ",") + "]}")
    }

    /// Answers events of a project, which need no action, because the model does not learn from them.
    @Sendable
    private func webhook(_ request: APIRequest) async throws -> Response {
        let (document, _) = try await service.pictureDocument(LabelStudioRequest.Webhook.self, of: request)
        guard document.action != "START_TRAINING" else {
            throw AnswerError(
                .notImplemented,
                "This server trains no models; export the annotations and train with them, then serve the new model."
            )
        }
        return .json(text: "{}", status: .created)
    }

    private func plan(_ interface: String?, _ project: String?, _ request: APIRequest) throws(AnswerError)
        -> LabelingPlan
    {
        guard let interface else {
            throw .invalid("The request has no labeling interface; Label Studio 1.0 and later send it.")
        }
        return try LabelingPlan(
            try LabelingInterface(interface),
            service,
            modelNamed: request.parameter("model"),
            uploadsAt: projects.place(of: project, for: request.client)
        )
    }
}

extension APIOperation {
    private static let tag = "Label Studio"

    fileprivate static var labelStudioSetup: APIOperation {
        APIOperation(tag: tag, "labelStudioSetup", "See whether the models fit a project of Label Studio")
            .takes(Schema.fields(["schema": .text("The labeling interface, in XML.")]).open)
            .answers("The models in use.", .fields(["model_version": .text()]))
    }

    fileprivate static var labelStudioPredict: APIOperation {
        APIOperation(tag: tag, "labelStudioPredict", "Predict for tasks of Label Studio")
            .explained(
                "Objects and labels that the labeling interface does not name are left out. A task whose picture cannot be used has an "
                    + "`error` in place of a prediction."
            )
            .takes(
                Schema.fields([
                    "tasks": .list(of: Schema.fields(["data": .object("Texts by name.").open]).open, atMost: 1000),
                    "label_config": .text("The labeling interface, in XML."),
                ]).open
            )
            .answers(
                "A prediction for each task.",
                .fields([
                    "model_version": .text(),
                    "results": .list(of: .object("A prediction, in Label Studio's JSON format.").open),
                ])
            )
    }
}
