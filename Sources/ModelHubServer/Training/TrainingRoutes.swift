import HTTPServing
import Hummingbird
import ModelHubProtocol

/// Trainings: `/hub/v1/projects/{project}/trainings`.
struct TrainingRoutes {
    let hub: Hub

    func add(to routes: inout RouteTable) {
        let project = "hub/v1/projects/{project}"
        let trainings = "\(project)/trainings"
        routes.on(.post, at: "\(project)/datasets/{dataset}:train", for: .publisher, use: train) {
            APIOperation(.dataSets, "train", "Train a model on a data set")
                .explained(
                    "The training waits for its turn: a hub does one at a time, and projects take turns. The model becomes a staged version, with its threshold, notes and evaluation; a name that no model has becomes a new model."
                )
                .takes(.trainingInput)
                .answers("The training.", .training)
        }
        routes.on(.get, at: trainings, for: .viewer, use: list) {
            APIOperation(.dataSets, "listTrainings", "List trainings").answers("The last 200 trainings.", .trainingList)
        }
        routes.on(.get, at: "\(trainings)/{training}", for: .viewer, use: get) {
            APIOperation(.dataSets, "getTraining", "Get a training").answers("The training.", .training)
        }
        routes.on(.get, at: "\(trainings)/{training}/card", for: .viewer, use: card) {
            APIOperation(.dataSets, "getTrainingCard", "Get the card of a trained model")
                .explained("It is the `card.json` that `sightline train labels` or `sightline train boxes` writes.")
                .answers("The card.", .trainingCard)
        }
        routes.on(.post, at: "\(trainings)/{training}:cancel", for: .publisher, use: cancel) {
            APIOperation(.dataSets, "cancelTraining", "Cancel a training")
                .explained("It has no effect on a training that ended. While the model is being stored, it is refused.")
                .answers("The training.", .training)
        }
    }

    @Sendable
    private func train(_ request: APIRequest, _ caller: Caller) async throws -> Response {
        let dataSet = try await hub.dataSet(request["dataset"], of: caller)
        let input = try await request.json(TrainingInput.self)
        let kind = try input.kind.map { text in
            guard let kind = Training.Kind(rawValue: text) else {
                throw HubError(
                    .invalidArgument,
                    "\"\(text.prefix(40))\" is not a kind of training; use labels or boxes."
                )
            }
            return kind
        }
        return try await answer(try await hub.train(on: dataSet, as: input.model, kind, by: caller))
    }

    @Sendable
    private func list(_ request: APIRequest, _ caller: Caller) async throws -> Response {
        let found = try await hub.records.trainings(of: caller.project.id)
        return try .json(TrainingList(trainings: found.map { TrainingResource($0) }))
    }

    @Sendable
    private func get(_ request: APIRequest, _ caller: Caller) async throws -> Response {
        try await answer(try await hub.training(request["training"], of: caller))
    }

    @Sendable
    private func card(_ request: APIRequest, _ caller: Caller) async throws -> Response {
        guard let card = try await hub.training(request["training"], of: caller).card else {
            throw HubError(.notFound, "The training has no model.")
        }
        return .json(text: card)
    }

    @Sendable
    private func cancel(_ request: APIRequest, _ caller: Caller) async throws -> Response {
        let training = try await hub.training(request["training"], of: caller)
        return try await answer(try await hub.cancelTraining(training, by: caller))
    }

    private func answer(_ training: Training) async throws -> Response {
        var position: Int?
        if training.state == .waiting { position = try await hub.records.position(ofTraining: training.id) }
        return try .json(TrainingResource(training, position: position))
    }
}

extension TrainingResource {
    /// Describes a training.
    ///
    /// - Parameter position: The number of trainings before it, if it waits.
    init(_ training: Training, position: Int? = nil) {
        self.init(
            trainingId: "\(training.id)",
            dataSet: training.dataSetName,
            model: training.model,
            actor: training.actor,
            kind: training.kind.rawValue,
            state: training.state.rawValue.uppercased(),
            createTime: "\(training.createTime)",
            startTime: training.startTime.map { "\($0)" },
            endTime: training.endTime.map { "\($0)" },
            stage: training.progress?.stage.rawValue,
            done: training.progress?.done,
            total: training.progress?.total,
            position: position,
            message: training.message,
            version: training.version,
            evaluationId: training.evaluation.map { "\($0)" }
        )
    }
}

/// The schemas of trainings.
extension Schema {
    static let trainingInput = object("A new training.").fields([
        "model?": .text("The display name of the model that gets the version. By default, the name of the data set."),
        "kind?": .choice(
            ["labels", "boxes"],
            "`labels` for a labeler from the labels of photos, `boxes` for a detector from drawn boxes. By default, `boxes` if the data set has some."
        ),
    ]).named("TrainingInput")

    static let training = object("A training of a model on a data set.").fields([
        "trainingId": .text(),
        "dataSet": .text("The name of the data set."),
        "model": .text("The display name of the model."),
        "actor": .text("Who started it."),
        "kind": .choice(["labels", "boxes"], "A labeler from labels, or a detector from boxes."),
        "state": .choice(["WAITING", "RUNNING", "DONE", "FAILED", "CANCELLED"]),
        "createTime": .time(),
        "startTime?": .time("When a hub last began with it."),
        "endTime?": .time(),
        "stage?": .choice(["reading", "fitting", "storing"], "What is being done."),
        "done?": .integer("The pictures or fits of the stage that are done."),
        "total?": .integer("All pictures or fits of the stage."),
        "position?": .integer("The number of trainings before it, while it waits."),
        "message?": .text("What the model is, or why there is none, in sentences."),
        "version?": .integer("The staged version."),
        "evaluationId?": .text("The evaluation of the version."),
    ]).named("Training")

    static let trainingList = fields(["trainings": .list("Newest first.", of: training)]).named("TrainingList")

    static let trainingCard = object("The pictures and the figures of a trained model.").open.named("TrainingCard")
}
