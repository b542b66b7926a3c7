import Foundation
import TensorFlowLite

/// Writes the elements of a tensor as a list of JSON, in row-major order.
enum TensorJSONWriter {
    /// The list in UTF-8.
    ///
    /// - Parameters:
    ///   - elements: the elements in the machine's byte order.
    ///   - name: the tensor's name, for messages.
    /// - Throws: ``AnswerError`` if JSON cannot hold an element: a 16-bit number, NaN or an infinite number.
    static func list(
        of elements: Data,
        _ dataType: Tensor.DataType,
        name: String
    ) throws(AnswerError) -> [UInt8] {
        switch dataType {
        case .bool: return text(of: elements, as: UInt8.self) { $0 == 0 ? "false" : "true" }
        case .uInt8: return text(of: elements, as: UInt8.self) { "\($0)" }
        case .int8: return text(of: elements, as: Int8.self) { "\($0)" }
        case .int16: return text(of: elements, as: Int16.self) { "\($0)" }
        case .int32: return text(of: elements, as: Int32.self) { "\($0)" }
        case .int64: return text(of: elements, as: Int64.self) { "\($0)" }
        case .float32: return try numbers(of: elements, as: Float.self, name: name)
        case .float64: return try numbers(of: elements, as: Double.self, name: name)
        case .float16:
            throw .invalid("The output \(name) has 16-bit numbers, which JSON cannot hold; ask for binary data.")
        }
    }

    private static func numbers<Value: BinaryFloatingPoint & BitwiseCopyable & CustomStringConvertible>(
        of elements: Data,
        as type: Value.Type,
        name: String
    ) throws(AnswerError) -> [UInt8] {
        var isFinite = true
        let list = text(of: elements, as: type) { value in
            if !value.isFinite { isFinite = false }
            return value.description
        }
        guard isFinite else {
            throw .invalid(
                "The output \(name) has NaN or infinite numbers, which JSON cannot hold; ask for binary data."
            )
        }
        return list
    }

    /// Reads whole elements of a plain type, of which any bits are a value, at offsets inside the data.
    private static func text<Value: BitwiseCopyable>(
        of elements: Data,
        as type: Value.Type,
        _ element: (Value) -> String
    ) -> [UInt8] {
        elements.withUnsafeBytes { bytes in
            var list = [UInt8(ascii: "[")]
            list.reserveCapacity(bytes.count * 3)
            for index in 0..<bytes.count / MemoryLayout<Value>.stride {
                if index > 0 { list.append(UInt8(ascii: ",")) }
                let value = bytes.loadUnaligned(fromByteOffset: index * MemoryLayout<Value>.stride, as: type)
                list.append(contentsOf: element(value).utf8)
            }
            list.append(UInt8(ascii: "]"))
            return list
        }
    }
}
