import Foundation

/// An input or output tensor of a model, with a copy of its data.
public struct Tensor: Equatable, Hashable, Sendable {
    /// The tensor's name in the model.
    public let name: String
    /// The type of the elements.
    public let dataType: DataType
    /// The dimensions.
    public let shape: Shape
    /// The elements, row-major and in the machine's byte order.
    public let data: Data
    /// The mapping from stored integers to real values; nil for a tensor that is not quantized with a single scale.
    public let quantizationParameters: QuantizationParameters?

    package init(
        name: String,
        dataType: DataType,
        shape: Shape,
        data: Data,
        quantizationParameters: QuantizationParameters?
    ) {
        self.name = name
        self.dataType = dataType
        self.shape = shape
        self.data = data
        self.quantizationParameters = quantizationParameters
    }
}

extension Tensor {
    /// The type of a tensor's elements.
    ///
    /// Adds `int8`, the type of most quantized models today, to the types of TensorFlowLiteSwift.
    public enum DataType: Equatable, Hashable, Sendable {
        /// A byte that is 0 or 1.
        case bool
        /// 8-bit unsigned integer.
        case uInt8
        /// 8-bit signed integer.
        case int8
        /// 16-bit signed integer.
        case int16
        /// 32-bit signed integer.
        case int32
        /// 64-bit signed integer.
        case int64
        /// 16-bit half-precision floating point (IEEE 754 binary16).
        case float16
        /// 32-bit single-precision floating point.
        case float32
        /// 64-bit double-precision floating point.
        case float64

        /// The number of bytes in an element.
        public var byteCount: Int {
            switch self {
            case .bool, .uInt8, .int8: 1
            case .int16, .float16: 2
            case .int32, .float32: 4
            case .int64, .float64: 8
            }
        }
    }
}

extension Tensor {
    /// The dimensions of a tensor.
    public struct Shape: Equatable, Hashable, Sendable {
        /// The number of dimensions.
        public let rank: Int
        /// The dimensions; −1 stands for a dimension that is chosen when the input is resized.
        public let dimensions: [Int]

        /// Creates a shape with the given dimensions.
        public init(_ dimensions: [Int]) {
            rank = dimensions.count
            self.dimensions = dimensions
        }

        /// Creates a shape with the given dimensions.
        public init(_ elements: Int...) {
            self.init(elements)
        }

        /// The product of the dimensions; nil if a dimension is negative or the product overflows.
        public var elementCount: Int? {
            var count = 1
            for dimension in dimensions {
                guard dimension >= 0 else { return nil }
                let (product, overflow) = count.multipliedReportingOverflow(by: dimension)
                guard !overflow else { return nil }
                count = product
            }
            return count
        }
    }
}

extension Tensor.Shape: ExpressibleByArrayLiteral {
    /// Creates a shape from its dimensions.
    public init(arrayLiteral elements: Int...) {
        self.init(elements)
    }
}
