import Foundation
import TensorFlowLite

/// The element type of a model's input or output. Raw values are those of Firebase.
#if canImport(ObjectiveC)
    @objc(FIRModelElementType)
#endif
public enum ModelElementType: UInt, Sendable {
    /// An unknown type.
    case unknown = 0
    /// 32-bit floating point.
    case float32 = 1
    /// 32-bit signed integer.
    case int32 = 2
    /// 8-bit unsigned integer.
    case uInt8 = 3
    /// 64-bit signed integer.
    case int64 = 4

    /// The type of tensors; nil for ``unknown``.
    var dataType: Tensor.DataType? {
        switch self {
        case .unknown: nil
        case .float32: .float32
        case .int32: .int32
        case .uInt8: .uInt8
        case .int64: .int64
        }
    }

    /// Appends a number as an element of this type.
    ///
    /// - Returns: False if the type cannot represent the number.
    func append(_ number: NSNumber, to data: inout Data) -> Bool {
        func append<Value>(_ value: Value?) -> Bool {
            guard let value else { return false }
            withUnsafeBytes(of: value) { data.append(contentsOf: $0) }
            return true
        }
        switch self {
        case .unknown: return false
        case .float32: return append(number.floatValue)
        case .int32: return append(Int32(exactly: number.doubleValue))
        case .uInt8: return append(UInt8(exactly: number.doubleValue))
        case .int64: return append(number.int64Value)
        }
    }

    /// The elements of a tensor.
    func numbers(in data: Data) -> [NSNumber] {
        func values<Value>(_ make: (Value) -> NSNumber) -> [NSNumber] {
            data.withUnsafeBytes { bytes in
                (0..<bytes.count / MemoryLayout<Value>.size).map { index in
                    make(bytes.loadUnaligned(fromByteOffset: index * MemoryLayout<Value>.size, as: Value.self))
                }
            }
        }
        switch self {
        case .unknown: return []
        case .float32: return values { (value: Float) in NSNumber(value: value) }
        case .int32: return values { (value: Int32) in NSNumber(value: value) }
        case .uInt8: return values { (value: UInt8) in NSNumber(value: value) }
        case .int64: return values { (value: Int64) in NSNumber(value: value) }
        }
    }
}
