/// How far an evaluation is.
public struct EvaluationProgress: Sendable, Hashable, Codable {
    /// Pictures that are done, with those that were skipped.
    public var done: Int
    /// Of them, pictures that cannot be used.
    public var skipped: Int
    /// All pictures.
    public var total: Int

    /// A progress by its numbers.
    public init(done: Int, skipped: Int, total: Int) {
        self.done = done
        self.skipped = skipped
        self.total = total
    }
}
