import Foundation
import TensorFlowLite

/// Reads the elements of a tensor from a value of JSON: one list, or lists nested as the shape says, in row-major order.
///
/// Numbers go straight into the tensor's bytes, and reading ends at the first element too many, so a request never needs more memory
/// than its own bytes and the tensor. Foundation's decoder needs some 20 bytes for each byte of `0,0,0,…`.
struct TensorJSONReader {
    /// The tensor's name, for messages.
    let name: String
    let dataType: Tensor.DataType
    /// The number of elements of the tensor.
    let count: Int

    private let text: ArraySlice<UInt8>
    private var index: Int
    private var read = 0
    private var bytes: [UInt8] = []

    /// The deepest nesting of lists; LiteRT's tensors have at most 8 dimensions.
    private static let depthLimit = 16

    /// The elements in the machine's byte order.
    ///
    /// - Parameter text: the value in UTF-8.
    /// - Throws: ``AnswerError`` with the position of the first element that does not fit.
    static func elements(
        of text: ArraySlice<UInt8>,
        name: String,
        dataType: Tensor.DataType,
        count: Int
    ) throws(AnswerError) -> Data {
        var reader = TensorJSONReader(text, name: name, dataType: dataType, count: count)
        reader.bytes.reserveCapacity(count * dataType.byteCount)
        try reader.readList(depth: 1)
        reader.skipSpace()
        guard reader.index == text.endIndex else { throw reader.malformed }
        guard reader.read == count else {
            throw .invalid("The data of \(name) has \(reader.read) elements; its shape needs \(count).")
        }
        return Data(reader.bytes)
    }

    private init(_ text: ArraySlice<UInt8>, name: String, dataType: Tensor.DataType, count: Int) {
        (self.text, self.name, self.dataType, self.count) = (text, name, dataType, count)
        index = text.startIndex
    }

    private var malformed: AnswerError {
        .invalid("The data of \(name) is not a list of numbers after \(read) elements; send lists as the shape says.")
    }

    private var next: UInt8? { index < text.endIndex ? text[index] : nil }

    private mutating func skipSpace() {
        while let byte = next, byte == 0x20 || (0x09...0x0D).contains(byte) { index += 1 }
    }

    private mutating func take(_ byte: UInt8) -> Bool {
        skipSpace()
        guard next == byte else { return false }
        index += 1
        return true
    }

    private mutating func readList(depth: Int) throws(AnswerError) {
        guard take(UInt8(ascii: "[")), depth <= Self.depthLimit else { throw malformed }
        if take(UInt8(ascii: "]")) { return }
        repeat {
            skipSpace()
            if next == UInt8(ascii: "[") { try readList(depth: depth + 1) } else { try readElement() }
        } while take(UInt8(ascii: ","))
        guard take(UInt8(ascii: "]")) else { throw malformed }
    }

    private mutating func readElement() throws(AnswerError) {
        guard read < count else {
            throw .invalid("The data of \(name) has more than \(count) elements, the number that its shape needs.")
        }
        let start = index
        while let byte = next, isPartOfElement(byte) { index += 1 }
        guard append(text[start..<index]) else {
            let found = text[start...].prefix(40).prefix { $0 != UInt8(ascii: ",") && $0 != UInt8(ascii: "]") }
            let shown = found.isEmpty ? "missing" : String(decoding: found, as: UTF8.self)
            throw .invalid("Element \(read) of \(name) is \(shown); it must be a \(expected).")
        }
        read += 1
    }

    /// Whether a byte belongs to a number, or to `true` or `false`.
    private func isPartOfElement(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x30...0x39, 0x61...0x7A, UInt8(ascii: "E"), UInt8(ascii: "-"), UInt8(ascii: "+"), UInt8(ascii: "."): true
        default: false
        }
    }

    private var expected: String {
        switch dataType {
        case .bool: "truth value"
        case .uInt8: "whole number from 0 to 255"
        case .int8: "whole number from -128 to 127"
        case .int16: "whole number from -32768 to 32767"
        case .int32, .int64: "whole number of \(dataType.byteCount * 8) bits"
        case .float16, .float32, .float64: "number of \(dataType.byteCount * 8) bits"
        }
    }

    /// Appends an element's bytes; false if the text is not such an element.
    private mutating func append(_ token: ArraySlice<UInt8>) -> Bool {
        switch dataType {
        case .bool:
            if token.elementsEqual("true".utf8) { return append(bits: UInt8(1)) }
            return token.elementsEqual("false".utf8) && append(bits: UInt8(0))
        case .uInt8: return append(integer(token).flatMap { UInt8(exactly: $0) })
        case .int8: return append(integer(token).flatMap { Int8(exactly: $0) })
        case .int16: return append(integer(token).flatMap { Int16(exactly: $0) })
        case .int32: return append(integer(token).flatMap { Int32(exactly: $0) })
        case .int64: return append(integer(token))
        case .float32:
            guard let value: Float = number(token) else { return false }
            return append(bits: value.bitPattern)
        case .float64:
            guard let value: Double = number(token) else { return false }
            return append(bits: value.bitPattern)
        // The protocol has no JSON form of them.
        case .float16: return false
        }
    }

    private mutating func append(_ value: (some FixedWidthInteger)?) -> Bool {
        guard let value else { return false }
        return append(bits: value)
    }

    /// - Returns: True.
    private mutating func append(bits: some FixedWidthInteger) -> Bool {
        withUnsafeBytes(of: bits) { bytes.append(contentsOf: $0) }
        return true
    }

    private func integer(_ token: ArraySlice<UInt8>) -> Int64? {
        let digits = token.first == UInt8(ascii: "-") ? token.dropFirst() : token
        guard (1...19).contains(digits.count) else { return nil }
        // Negative numbers reach further than positive ones.
        var value: Int64 = 0
        for byte in digits {
            guard (0x30...0x39).contains(byte) else { return nil }
            let (tens, isTooMany) = value.multipliedReportingOverflow(by: 10)
            let (sum, isTooLow) = tens.subtractingReportingOverflow(Int64(byte - 0x30))
            guard !isTooMany, !isTooLow else { return nil }
            value = sum
        }
        guard digits.count == token.count else { return value }
        return value == .min ? nil : -value
    }

    /// A finite number in JSON's grammar. Swift also reads `inf`, `nan` and hexadecimal digits.
    private func number<Value: BinaryFloatingPoint & LosslessStringConvertible>(_ token: ArraySlice<UInt8>) -> Value? {
        let digits = token.first == UInt8(ascii: "-") ? token.dropFirst() : token
        guard let first = digits.first, (0x30...0x39).contains(first), token.count <= 400,
            digits.allSatisfy({ !(0x61...0x7A).contains($0) || $0 == UInt8(ascii: "e") }),
            let value = Value(String(decoding: token, as: UTF8.self)), value.isFinite
        else { return nil }
        return value
    }
}
