/// The type of a tensor's elements, as numbered in model files. There are more types than in ``Tensor/DataType``.
///
/// Source: enum TensorType of the TensorFlow Lite schema, version 3.
enum ElementType: Int8, Sendable {
    case float32, float16, int32, uInt8, int64, string, bool, int16, complex64, int8, float64, complex128, uInt64
    case resource, variant, uInt32, uInt16, int4, bfloat16, int2, uint4, float8E4M3FN, float8E5M2

    /// The number of bits in an element; nil if elements have no fixed size.
    var bits: Int? {
        switch self {
        case .int2: 2
        case .int4, .uint4: 4
        case .bool, .uInt8, .int8, .float8E4M3FN, .float8E5M2: 8
        case .float16, .int16, .uInt16, .bfloat16: 16
        case .float32, .int32, .uInt32: 32
        case .int64, .uInt64, .float64, .complex64: 64
        case .complex128: 128
        case .string, .resource, .variant: nil
        }
    }

    /// The public type; nil for a type that inputs and outputs cannot have.
    var dataType: Tensor.DataType? {
        switch self {
        case .bool: .bool
        case .uInt8: .uInt8
        case .int8: .int8
        case .int16: .int16
        case .int32: .int32
        case .int64: .int64
        case .float16: .float16
        case .float32: .float32
        case .float64: .float64
        default: nil
        }
    }
}

extension Tensor.DataType {
    /// The runtime's number for the type (`TfLiteType`).
    var runtimeCode: Int32 {
        switch self {
        case .float32: 1
        case .int32: 2
        case .uInt8: 3
        case .int64: 4
        case .bool: 6
        case .int16: 7
        case .int8: 9
        case .float16: 10
        case .float64: 11
        }
    }
}
