import TensorFlowLite

/// A field of a message of Protocol Buffers.
struct WireField {
    enum Value {
        case integer(UInt64)
        case fixed32(UInt32)
        case fixed64(UInt64)
        /// The place of a text, of bytes, of packed numbers or of another message in the file.
        case bytes(Range<Int>)
    }

    let number: Int
    let value: Value
}

/// Reads the fields of a message of Protocol Buffers in place: nothing is copied, and nothing is allocated for a size that the file
/// merely claims.
///
/// Source of the format: "Encoding" in the documentation of Protocol Buffers.
///
/// Unsafe but sound: every access is at a position below `end`, which is at most the number of bytes. The bytes outlive the reader,
/// which exists only inside `ModelBytes.withBytes`.
struct WireReader {
    let bytes: UnsafeRawBufferPointer
    private var position: Int
    private let end: Int

    /// A reader of a part of the bytes.
    init(_ bytes: UnsafeRawBufferPointer, _ range: Range<Int>) {
        self.bytes = bytes
        let range = range.clamped(to: 0..<bytes.count)
        (position, end) = (range.lowerBound, range.upperBound)
    }

    /// The next field; nil at the end.
    mutating func next() throws(ModelError) -> WireField? {
        guard position < end else { return nil }
        let start = position
        let key = try integer()
        let number = Int(truncatingIfNeeded: key >> 3)
        guard (1...536_870_911).contains(number) else { throw Self.damage("a field without a number", at: start) }
        switch key & 7 {
        case 0: return WireField(number: number, value: .integer(try integer()))
        case 1:
            let low = try fixed32()
            return WireField(number: number, value: .fixed64(UInt64(try fixed32()) << 32 | UInt64(low)))
        case 2:
            let count = try integer()
            guard count <= UInt64(end - position) else { throw Self.damage("a part that does not fit", at: start) }
            defer { position += Int(count) }
            return WireField(number: number, value: .bytes(position..<position + Int(count)))
        case 5: return WireField(number: number, value: .fixed32(try fixed32()))
        default: throw Self.damage("a field of an unknown form", at: start)
        }
    }

    /// The next number of variable length.
    mutating func integer() throws(ModelError) -> UInt64 {
        let start = position
        var result: UInt64 = 0
        for shift in stride(from: UInt64(0), to: 70, by: 7) {
            guard position < end else { break }
            let byte = bytes[position]
            position += 1
            // The tenth byte has one bit.
            if shift == 63, byte > 1 { break }
            result |= UInt64(byte & 0x7F) << shift
            if byte & 0x80 == 0 { return result }
        }
        throw Self.damage("a number that does not end", at: start)
    }

    /// The next number of four bytes, the lowest first.
    mutating func fixed32() throws(ModelError) -> UInt32 {
        guard end - position >= 4 else { throw Self.damage("a number that is cut short", at: position) }
        defer { position += 4 }
        return (0..<4).reduce(0) { $0 | UInt32(bytes[position + $1]) << UInt32(8 * $1) }
    }

    /// Whether all bytes are read.
    var isAtEnd: Bool { position >= end }

    /// The error about a place in the file.
    static func damage(_ what: String, at position: Int) -> ModelError {
        .corrupted(reason: "it has \(what) at byte \(position)")
    }
}
