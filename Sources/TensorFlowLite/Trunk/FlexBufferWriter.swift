/// Writes the map of numbers that holds the options of a custom operator.
///
/// Format: https://flatbuffers.dev/flexbuffers. All numbers take four bytes; offsets count backward from their own position. A map has at
/// most fifty entries, so that its root is a single byte.
enum FlexBufferWriter {
    enum Value {
        case integer(Int32)
        case float(Float)
        case truth(Bool)

        /// The number of the type, and the bits of the value.
        fileprivate var stored: (type: UInt8, bits: UInt32) {
            switch self {
            case .integer(let value): (1, UInt32(bitPattern: value))
            case .float(let value): (3, value.bitPattern)
            case .truth(let value): (26, value ? 1 : 0)
            }
        }
    }

    /// The bytes of a map. Readers search it, so its keys are sorted.
    static func map(_ values: [String: Value]) -> [UInt8] {
        precondition(values.count <= 50, "The root's offset is one byte.")
        let entries = values.sorted { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }
        var bytes: [UInt8] = []
        func append(_ value: UInt32) {
            for index in 0..<4 { bytes.append(UInt8(truncatingIfNeeded: value >> (8 * UInt32(index)))) }
        }
        var texts: [Int] = []
        for (key, _) in entries {
            texts.append(bytes.count)
            bytes += Array(key.utf8) + [0]
        }
        while bytes.count % 4 != 0 { bytes.append(0) }
        append(UInt32(entries.count))
        let keys = bytes.count
        for text in texts { append(UInt32(bytes.count - text)) }
        append(UInt32(bytes.count - keys))
        // The keys' offsets, too, take four bytes.
        append(4)
        append(UInt32(entries.count))
        let start = bytes.count
        for (_, value) in entries { append(value.stored.bits) }
        // The low two bits of a type are the width: 2 stands for four bytes.
        for (_, value) in entries { bytes.append(value.stored.type << 2 | 2) }
        // The root, an offset of one byte: a map, type 9.
        return bytes + [UInt8(clamping: bytes.count - start), 9 << 2 | 2, 1]
    }
}
