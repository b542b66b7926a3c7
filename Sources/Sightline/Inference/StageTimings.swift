/// The time that each stage of a call took.
public struct StageTimings: Sendable, Hashable {
    /// Reading and decoding the picture.
    public var decoding = Duration.zero
    /// Resizing and normalizing into the model's input.
    public var preprocessing = Duration.zero
    /// Running the models.
    public var inference = Duration.zero
    /// Turning outputs into results.
    public var postprocessing = Duration.zero
    /// Following objects from frame to frame, in streams; zero for single pictures.
    public var tracking = Duration.zero

    /// Creates timings of zero.
    public init() {}

    /// All stages together.
    public var total: Duration { decoding + preprocessing + inference + postprocessing + tracking }
}

/// Measures the time of consecutive stages, and stops between them if the task was cancelled.
struct StageClock {
    private(set) var timings: StageTimings

    /// Creates a clock that continues from the times of earlier stages.
    init(_ timings: StageTimings = StageTimings()) {
        self.timings = timings
    }

    /// Runs a stage and adds its time.
    mutating func measure<Result>(
        _ stage: WritableKeyPath<StageTimings, Duration>,
        _ body: () throws -> Result
    ) throws -> Result {
        try Task.checkCancellation()
        let start = ContinuousClock.now
        defer { timings[keyPath: stage] += ContinuousClock.now - start }
        return try body()
    }
}
