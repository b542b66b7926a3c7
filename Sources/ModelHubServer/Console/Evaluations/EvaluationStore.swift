/// The store for the records of evaluations. Their files are in an ``EvaluationFileStore``.
public protocol EvaluationStore: Sendable {
    /// Adds an evaluation and assigns an id. Throws `.resourceExhausted` if the quota has no room for its pictures.
    func insert(_ evaluation: EvaluationRecord, audit: AuditEntry) async throws -> EvaluationRecord
    /// Updates an evaluation, with an entry of the audit log if a caller requested the change.
    func update(_ evaluation: EvaluationRecord, audit: AuditEntry?) async throws
    /// Updates an evaluation unless it was canceled or deleted; returns whether it did.
    func updateOpen(_ evaluation: EvaluationRecord) async throws -> Bool
    /// The evaluation with the given id.
    func evaluation(_ id: Int64, of project: String) async throws -> EvaluationRecord?
    /// The evaluations of a model, newest first.
    func evaluations(of model: Int64) async throws -> [EvaluationRecord]
    /// Removes an evaluation.
    func deleteEvaluation(_ id: Int64, audit: AuditEntry?) async throws
    /// All ids, for removing folders without an evaluation.
    func evaluationIDs() async throws -> Set<Int64>
    /// Records that open evaluations are alive: a hub still works on them, or will.
    func keepEvaluationsAlive(_ ids: [Int64], at time: Timestamp) async throws
    /// Marks the open evaluations as interrupted that no hub kept alive since a moment.
    func interruptEvaluations(silentSince moment: Timestamp, at time: Timestamp, message: String) async throws
}

extension EvaluationStore {
    /// Updates an evaluation without an entry of the audit log.
    func update(_ evaluation: EvaluationRecord) async throws { try await update(evaluation, audit: nil) }
}
