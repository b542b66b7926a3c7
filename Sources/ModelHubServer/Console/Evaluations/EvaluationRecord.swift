/// An evaluation of a model on pictures that somebody uploaded.
public struct EvaluationRecord: Sendable, Hashable {
    /// What has become of it.
    public enum State: String, Sendable, Hashable {
        /// Its turn will come.
        case waiting
        /// It is being done.
        case running
        /// There is a report.
        case done
        /// It could not be done.
        case failed
        /// Somebody cancelled it.
        case cancelled

        /// Whether it goes on.
        public var isOpen: Bool { self == .waiting || self == .running }
    }

    /// A number that the store hands out.
    public var id: Int64
    /// The project's id.
    public var project: String
    /// The model's id.
    public var model: Int64
    /// The version that is evaluated.
    public var version: Int
    /// Its file.
    public var hash: BlobHash
    /// What the archive of pictures was called.
    public var archiveName: String
    /// How many bytes the archive has.
    public var byteCount: Int
    /// Who began it, for the audit log and the page.
    public var actor: String
    /// When it was begun.
    public var createTime: Timestamp
    /// When it ended.
    public var endTime: Timestamp?
    /// What has become of it.
    public var state: State
    /// Why it failed.
    public var message: String?
    /// How many pictures were evaluated.
    public var pictureCount: Int?
    /// The share of right answers.
    public var top1: Double?

    /// `projects/{project}/models/{model}/evaluations/{id}`.
    var resourceName: String { "projects/\(project)/models/\(model)/evaluations/\(id)" }
}

/// Where evaluations are recorded. Archives and reports lie in folders of their own.
public protocol EvaluationStore: Sendable {
    /// Adds an evaluation and gives it an id. Throws `.resourceExhausted` if the quota has no room for its pictures.
    func insert(_ evaluation: EvaluationRecord, audit: AuditEntry) async throws -> EvaluationRecord
    /// Writes what has become of an evaluation, with a line of the audit log if somebody asked for the change.
    func update(_ evaluation: EvaluationRecord, audit: AuditEntry?) async throws
    /// The evaluation with an id.
    func evaluation(_ id: Int64, of project: String) async throws -> EvaluationRecord?
    /// The evaluations of a model, newest first.
    func evaluations(of model: Int64) async throws -> [EvaluationRecord]
    /// Removes an evaluation.
    func deleteEvaluation(_ id: Int64, audit: AuditEntry?) async throws
    /// All ids, for the removal of folders that belong to none.
    func evaluationIDs() async throws -> Set<Int64>
    /// Notes of all that go on that they were interrupted.
    func interruptEvaluations(at time: Timestamp, message: String) async throws
}

extension EvaluationStore {
    /// Writes what has become of an evaluation by itself.
    func update(_ evaluation: EvaluationRecord) async throws { try await update(evaluation, audit: nil) }
}
