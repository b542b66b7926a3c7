/// The labels of a picture, from ``ImageLabeler/result(in:)``.
public struct LabelingResult: Sendable, Hashable {
    /// The labels, most confident first.
    public var labels: [Label]
    /// The most confident label below its threshold if there are no labels.
    public var guess: Label?
    /// The size of the upright picture in pixels.
    public var size: PixelSize
    /// The durations of the stages.
    public var timings: StageTimings

    /// Creates a result.
    public init(
        labels: [Label],
        guess: Label? = nil,
        size: PixelSize,
        timings: StageTimings = StageTimings()
    ) {
        self.labels = labels
        self.guess = guess
        self.size = size
        self.timings = timings
    }
}
