/// An evaluation of a version of a model on uploaded pictures.
package struct EvaluationRecord: Sendable, Hashable {
    /// The state of an evaluation.
    package enum State: String, Sendable, Hashable {
        /// It is waiting for its turn.
        case waiting
        /// It is being done.
        case running
        /// It has a report.
        case done
        /// It failed.
        case failed
        /// It was canceled.
        case cancelled

        /// Whether it is waiting or running.
        package var isOpen: Bool { self == .waiting || self == .running }
    }

    /// The version that was served when another version's evaluation started.
    package struct ServedVersion: Sendable, Hashable {
        /// The number of the version.
        package var number: Int
        /// The hash of its file.
        package var hash: BlobHash
    }

    /// The number of the evaluation, which the store assigns.
    package var id: Int64
    /// The project's id.
    package var project: String
    /// The model's id.
    package var model: Int64
    /// The kind of evaluation: `labels` or `boxes`.
    package var kind: String
    /// The evaluated version.
    package var version: Int
    /// The hash of the version's file.
    package var hash: BlobHash
    /// The version with which the evaluation compares; nil if the evaluated version is served itself, or no version that
    /// the hub can run.
    package var served: ServedVersion?
    /// The file name of the archive.
    package var archiveName: String
    /// The size of the archive in bytes.
    package var byteCount: Int
    /// The caller who started it, for the audit log and the page.
    package var actor: String
    /// The time of its start.
    package var createTime: Timestamp
    /// The time of its end.
    package var endTime: Timestamp?
    /// The state.
    package var state: State
    /// The reason of its failure.
    package var message: String?
    /// The number of evaluated pictures.
    package var pictureCount: Int?
    /// The main figure of the result, 0…1: the share of right answers for labels, AP for boxes.
    package var score: Double?
    /// The comparison of the served version, the baseline, with the evaluated version, as JSON of its kind; nil if there
    /// is none.
    package var comparison: String?

    /// `projects/{project}/models/{model}/evaluations/{id}`.
    var resourceName: String { "projects/\(project)/models/\(model)/evaluations/\(id)" }

    /// Creates an evaluation; the store assigns its id.
    package init(
        id: Int64 = 0,
        project: String,
        model: Int64,
        kind: String,
        version: Int,
        hash: BlobHash,
        served: ServedVersion? = nil,
        archiveName: String,
        byteCount: Int,
        actor: String,
        createTime: Timestamp,
        endTime: Timestamp? = nil,
        state: State,
        message: String? = nil,
        pictureCount: Int? = nil,
        score: Double? = nil,
        comparison: String? = nil
    ) {
        self.id = id
        self.project = project
        self.model = model
        self.kind = kind
        self.version = version
        self.hash = hash
        self.served = served
        self.archiveName = archiveName
        self.byteCount = byteCount
        self.actor = actor
        self.createTime = createTime
        self.endTime = endTime
        self.state = state
        self.message = message
        self.pictureCount = pictureCount
        self.score = score
        self.comparison = comparison
    }
}
