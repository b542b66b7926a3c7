/// The store for experiments and their outcomes. A ``TemplateStore`` adds and changes experiments, because each change is
/// a version of the template.
public protocol ExperimentStore: Sendable {
    /// The experiments of a project, newest first.
    func experiments(of project: String) async throws -> [Experiment]
    /// The running experiments of a project, newest first.
    func runningExperiments(of project: String) async throws -> [Experiment]
    /// The experiment with the given id.
    func experiment(_ id: String, of project: String) async throws -> Experiment?

    /// Adds a batch; false if it was added before.
    func add(_ batch: OutcomeBatch, to project: String, at time: Timestamp) async throws -> Bool
    /// Forgets batches that were added before a moment, and the oldest batches of projects with very many.
    func forgetOutcomeBatches(before time: Timestamp) async throws
    /// The accumulated outcomes of an experiment's variants.
    func outcomes(of experiment: String, of project: String) async throws -> [OutcomeTotal]
}
