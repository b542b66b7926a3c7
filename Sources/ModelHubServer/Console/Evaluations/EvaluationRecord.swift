/// An evaluation of a model on uploaded pictures.
public struct EvaluationRecord: Sendable, Hashable {
    /// The state of an evaluation.
    public enum State: String, Sendable, Hashable {
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
        public var isOpen: Bool { self == .waiting || self == .running }
    }

    /// The number of the evaluation, which the store assigns.
    public var id: Int64
    /// The project's id.
    public var project: String
    /// The model's id.
    public var model: Int64
    /// The evaluated version.
    public var version: Int
    /// The hash of the version's file.
    public var hash: BlobHash
    /// The file name of the archive.
    public var archiveName: String
    /// The size of the archive in bytes.
    public var byteCount: Int
    /// The caller who started it, for the audit log and the page.
    public var actor: String
    /// The time of its start.
    public var createTime: Timestamp
    /// The time of its end.
    public var endTime: Timestamp?
    /// The state.
    public var state: State
    /// The reason of its failure.
    public var message: String?
    /// The number of evaluated pictures.
    public var pictureCount: Int?
    /// The share of right answers.
    public var top1: Double?

    /// `projects/{project}/models/{model}/evaluations/{id}`.
    var resourceName: String { "projects/\(project)/models/\(model)/evaluations/\(id)" }
}

/// The store for the records of evaluations. Archives and reports are in separate folders.
public protocol EvaluationStore: Sendable {
    /// Adds an evaluation and assigns an id. Throws `.resourceExhausted` if the quota has no room for its pictures.
    func insert(_ evaluation: EvaluationRecord, audit: AuditEntry) async throws -> EvaluationRecord
    /// Updates an evaluation, with an entry of the audit log if a caller requested the change.
    func update(_ evaluation: EvaluationRecord, audit: AuditEntry?) async throws
    /// The evaluation with the given id.
    func evaluation(_ id: Int64, of project: String) async throws -> EvaluationRecord?
    /// The evaluations of a model, newest first.
    func evaluations(of model: Int64) async throws -> [EvaluationRecord]
    /// Removes an evaluation.
    func deleteEvaluation(_ id: Int64, audit: AuditEntry?) async throws
    /// All ids, for removing folders without an evaluation.
    func evaluationIDs() async throws -> Set<Int64>
    /// Marks all open evaluations as interrupted.
    func interruptEvaluations(at time: Timestamp, message: String) async throws
}

extension EvaluationStore {
    /// Updates an evaluation without an entry of the audit log.
    func update(_ evaluation: EvaluationRecord) async throws { try await update(evaluation, audit: nil) }
}
