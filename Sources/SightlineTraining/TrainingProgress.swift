/// The progress of a training.
public enum TrainingProgress: Sendable, Hashable {
    /// Pictures are turned into features.
    case reading(done: Int, skipped: Int, total: Int)
    /// Layers are fitted: those that are measured, and at last the layer of the model.
    case fitting(done: Int, total: Int)
}
