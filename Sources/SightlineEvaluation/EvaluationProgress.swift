/// The progress of an evaluation.
public struct EvaluationProgress: Sendable, Hashable, Codable {
    /// The number of finished pictures, including skipped pictures.
    public var done: Int
    /// The number of skipped pictures.
    public var skipped: Int
    /// The number of all pictures.
    public var total: Int

    /// Creates a progress from its numbers.
    public init(done: Int, skipped: Int, total: Int) {
        self.done = done
        self.skipped = skipped
        self.total = total
    }
}
