/// A training on a data set as the hub shows it.
package struct TrainingResource: Codable, Sendable {
    package var trainingId, dataSet, model, actor: String
    /// `labels` or `boxes`.
    package var kind: String
    /// `WAITING`, `RUNNING`, `DONE`, `FAILED` or `CANCELLED`.
    package var state: String
    package var createTime: String
    package var startTime, endTime: String?
    /// `reading`, `fitting` or `storing`.
    package var stage: String?
    package var done, total: Int?
    /// The number of trainings before this one.
    package var position: Int?
    package var message: String?
    /// The staged version, and its evaluation.
    package var version: Int?
    package var evaluationId: String?

    /// Creates a training.
    package init(
        trainingId: String,
        dataSet: String,
        model: String,
        actor: String,
        kind: String,
        state: String,
        createTime: String,
        startTime: String? = nil,
        endTime: String? = nil,
        stage: String? = nil,
        done: Int? = nil,
        total: Int? = nil,
        position: Int? = nil,
        message: String? = nil,
        version: Int? = nil,
        evaluationId: String? = nil
    ) {
        (self.trainingId, self.dataSet, self.model, self.actor) = (trainingId, dataSet, model, actor)
        self.kind = kind
        (self.state, self.createTime, self.startTime, self.endTime) = (state, createTime, startTime, endTime)
        (self.stage, self.done, self.total, self.position) = (stage, done, total, position)
        (self.message, self.version, self.evaluationId) = (message, version, evaluationId)
    }

    /// Whether it is waiting or running.
    package var isOpen: Bool { state == "WAITING" || state == "RUNNING" }
}

/// The trainings of a project.
package struct TrainingList: Codable, Sendable {
    package var trainings: [TrainingResource]

    /// Creates a list.
    package init(trainings: [TrainingResource]) { self.trainings = trainings }
}

/// A new training.
package struct TrainingInput: Codable, Sendable {
    /// The display name of the model that gets the version; nil for the name of the data set.
    package var model: String?
    /// `labels` or `boxes`; nil for boxes if the data set has some, and otherwise labels.
    package var kind: String?

    /// Creates the input.
    package init(model: String?, kind: String? = nil) { (self.model, self.kind) = (model, kind) }
}
