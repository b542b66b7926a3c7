/// A training of a model on the photos of a data set.
package struct Training: Sendable, Hashable {
    /// The state of a training.
    package enum State: String, Sendable, Hashable {
        /// It is waiting for its turn.
        case waiting
        /// A hub works on it.
        case running
        /// Its model is a version.
        case done
        /// There is no model.
        case failed
        /// It was canceled.
        case cancelled

        /// Whether it is waiting or running.
        package var isOpen: Bool { self == .waiting || self == .running }
    }

    /// The kind of model.
    package enum Kind: String, Sendable, Hashable {
        /// A labeler, from photos with labels.
        case labels
        /// A detector, from photos with drawn boxes.
        case boxes

        /// The command of the process that trains.
        var workerCommand: String { "train-\(rawValue)" }
    }

    /// The part of the work that is being done.
    package enum Stage: String, Sendable, Hashable {
        /// Photos are turned into features.
        case reading
        /// Layers are fitted and measured.
        case fitting
        /// The model becomes a version.
        case storing
    }

    /// A part of the work with its progress.
    package struct Progress: Sendable, Hashable {
        var stage: Stage
        var done = 0
        var total = 0
    }

    /// The number of the training, which the store assigns.
    package var id: Int64
    /// The project's id.
    package var project: String
    /// The id of the data set.
    package var dataSet: Int64
    /// The name of the data set.
    package var dataSetName: String
    /// The display name of the model that gets the version.
    package var model: String
    package var kind: Kind
    /// The person or credential that started it.
    package var actor: String
    package var state: State
    package var createTime: Timestamp
    package var startTime: Timestamp?
    package var endTime: Timestamp?
    /// The number of times that hubs began with it.
    package var attempts = 0
    package var progress: Progress?
    /// The reason of its failure, or what its model is.
    package var message: String?
    /// The staged version.
    package var version: Int?
    /// The id of the version's evaluation.
    package var evaluation: Int64?
    /// The model's card as JSON.
    package var card: String?

    /// The caller of what the training does, in the audit log.
    var ownActor: String { "training \(id)" }
    /// `projects/{project}/trainings/{id}`.
    var resourceName: String { "projects/\(project)/trainings/\(id)" }

    /// The largest number of open trainings in a project.
    static let maximumOpen = 5
    /// The number of ended trainings of a data set that are kept.
    static let keptTrainings = 20
    /// The number of times that hubs begin a training: one of them that ends a hub each time must not do so forever.
    static let maximumAttempts = 3
}

/// The classifier whose network trainings use.
package struct TrainingStart: Sendable, Hashable {
    /// The path of the model's file.
    package var path: String
    /// The name of the model in cards.
    package var name: String
    /// The license of the model.
    package var license: String?

    /// Names a classifier.
    package init(path: String, name: String, license: String?) {
        (self.path, self.name, self.license) = (path, name, license)
    }
}
