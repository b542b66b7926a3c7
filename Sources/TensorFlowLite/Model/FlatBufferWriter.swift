import Foundation

/// A node of a FlatBuffer that is to be written.
indirect enum FlatBufferNode {
    /// A table's fields by slot number.
    case table([Int: Field])
    /// A vector of offsets.
    case vector([FlatBufferNode])
    case string(String)
    /// A vector of bytes whose first element lies at a multiple of 16.
    case bytes([UInt8])
    case int32s([Int32])
    case floats([Float])
    /// A vector of 64-bit integers, whose first element lies at a multiple of 8.
    case int64s([Int64])
    /// A node at a position in the buffer that will follow the written bytes.
    case following(Int)
    /// A copy of a table without offsets: its list of field offsets, and its bytes after the offset of that list.
    case copy(list: [UInt8], content: [UInt8])

    enum Field {
        case uint32(UInt32)
        case uint8(UInt8)
        case offset(FlatBufferNode)

        static func float(_ value: Float) -> Field { .uint32(value.bitPattern) }
    }
}

/// Writes a FlatBuffer from its root on, so that every offset leads forward.
///
/// Format: https://flatbuffers.dev/internals. A table's list of field offsets comes right before it.
struct FlatBufferWriter {
    private(set) var bytes: [UInt8] = []
    /// The offsets that point behind the written bytes, and the positions there that they point to.
    private var following: [(place: Int, target: Int)] = []

    /// Creates a buffer with a root.
    ///
    /// - Parameter multiple: The length of the buffer is a multiple of this number.
    init(root: FlatBufferNode, identifier: String, multiple: Int = 4) {
        append(UInt32(0))
        bytes += Array(identifier.utf8.prefix(4))
        write(root, offsetAt: 0)
        align(to: multiple)
        for (place, target) in following { store(UInt32(truncatingIfNeeded: bytes.count + target - place), at: place) }
    }

    /// Writes a node and points the offset at `place` to it.
    private mutating func write(_ node: FlatBufferNode, offsetAt place: Int) {
        switch node {
        case .following(let target):
            following.append((place, target))
        case .string(let text):
            align(to: 4)
            point(place)
            append(UInt32(truncatingIfNeeded: text.utf8.count))
            bytes += Array(text.utf8) + [0]
        case .bytes(let content):
            while bytes.count % 16 != 12 { bytes.append(0) }
            point(place)
            append(UInt32(truncatingIfNeeded: content.count))
            bytes += content
        case .int32s(let values):
            write(values.map { UInt32(bitPattern: $0) }, offsetAt: place)
        case .floats(let values):
            write(values.map(\.bitPattern), offsetAt: place)
        case .int64s(let values):
            while bytes.count % 8 != 4 { bytes.append(0) }
            point(place)
            append(UInt32(truncatingIfNeeded: values.count))
            for value in values { append(UInt64(bitPattern: value)) }
        case .vector(let nodes):
            align(to: 4)
            point(place)
            append(UInt32(truncatingIfNeeded: nodes.count))
            let start = bytes.count
            for _ in nodes { append(UInt32(0)) }
            for (index, node) in nodes.enumerated() { write(node, offsetAt: start + 4 * index) }
        case .table(let fields):
            write(fields, offsetAt: place)
        case .copy(let list, let content):
            align(to: 2)
            let listStart = bytes.count
            bytes += list
            // Fields of eight bytes lie at multiples of eight, as the list of a table that begins at such a multiple says.
            align(to: 8)
            point(place)
            append(UInt32(truncatingIfNeeded: bytes.count - listStart))
            bytes += content
        }
    }

    private mutating func write(_ values: [UInt32], offsetAt place: Int) {
        align(to: 4)
        point(place)
        append(UInt32(truncatingIfNeeded: values.count))
        for value in values { append(value) }
    }

    private mutating func write(_ fields: [Int: FlatBufferNode.Field], offsetAt place: Int) {
        align(to: 4)
        let slots = fields.keys.sorted()
        let listStart = bytes.count
        let listSize = 4 + 2 * ((slots.last ?? -1) + 1)
        append(UInt16(truncatingIfNeeded: listSize))
        append(UInt16(truncatingIfNeeded: 4 + 4 * slots.count))
        bytes += [UInt8](repeating: 0, count: listSize - 4)
        align(to: 4)
        let table = bytes.count
        point(place)
        append(UInt32(truncatingIfNeeded: table - listStart))
        for (index, slot) in slots.enumerated() {
            let distance = UInt16(truncatingIfNeeded: 4 + 4 * index)
            bytes[listStart + 4 + 2 * slot] = UInt8(truncatingIfNeeded: distance)
            bytes[listStart + 5 + 2 * slot] = UInt8(truncatingIfNeeded: distance >> 8)
            switch fields[slot] {
            case .uint32(let value): append(value)
            case .uint8(let value): append(UInt32(value))
            case .offset, nil: append(UInt32(0))
            }
        }
        for (index, slot) in slots.enumerated() {
            if case .offset(let node) = fields[slot] { write(node, offsetAt: table + 4 + 4 * index) }
        }
    }

    private mutating func point(_ place: Int) {
        store(UInt32(truncatingIfNeeded: bytes.count - place), at: place)
    }

    private mutating func store(_ value: UInt32, at place: Int) {
        for index in 0..<4 { bytes[place + index] = UInt8(truncatingIfNeeded: value >> (8 * UInt32(index))) }
    }

    private mutating func append(_ value: some FixedWidthInteger & UnsignedInteger) {
        for index in 0..<value.bitWidth / 8 { bytes.append(UInt8(truncatingIfNeeded: value >> (8 * index))) }
    }

    private mutating func align(to multiple: Int) {
        while bytes.count % multiple != 0 { bytes.append(0) }
    }
}
