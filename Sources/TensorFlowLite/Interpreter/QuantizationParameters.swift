/// The mapping from stored integers to real values: real = scale × (stored − zeroPoint).
public struct QuantizationParameters: Equatable, Hashable, Sendable {
    /// The step between two neighboring stored values.
    public let scale: Float
    /// The stored value that stands for 0.
    public let zeroPoint: Int

    /// Creates parameters with the given step and zero point.
    public init(scale: Float, zeroPoint: Int) {
        self.scale = scale
        self.zeroPoint = zeroPoint
    }
}
