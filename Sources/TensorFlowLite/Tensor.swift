import Foundation

/// An input or output tensor of a model.
public struct Tensor: Equatable, Hashable, Sendable {
    /// The type of a tensor's elements.
    public enum DataType: Equatable, Hashable, Sendable {
        case bool, uInt8, int8, int16, int32, int64, float16, float32, float64
    }
}

/// How real values are stored as integers: real = scale × (stored − zeroPoint).
public struct QuantizationParameters: Equatable, Hashable, Sendable {
    /// The step between two neighbouring stored values.
    public let scale: Float
    /// The stored value that stands for 0.
    public let zeroPoint: Int
}
