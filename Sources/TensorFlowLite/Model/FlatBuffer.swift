/// An error in the format of a FlatBuffer.
struct FlatBufferError: Error {
    /// The fault, as a clause: "a vector at byte 96 reaches past the end".
    let reason: String
}

/// Reads a FlatBuffer without trusting it: every offset is checked before it is followed.
///
/// Format: https://flatbuffers.dev/internals (little-endian; tables point back to a table of field offsets).
/// Unsafe but sound: only `load` and `bytes(at:count:)` touch the bytes, after a bounds check, and a reader lives only
/// within the closure that owns the memory.
struct FlatBuffer {
    let bytes: UnsafeRawBufferPointer
    private let budget: FlatBufferBudget

    init(bytes: UnsafeRawBufferPointer, budget: FlatBufferBudget = FlatBufferBudget()) {
        self.bytes = bytes
        self.budget = budget
    }

    func load<T: FixedWidthInteger>(_ type: T.Type, at offset: Int) throws(FlatBufferError) -> T {
        let size = MemoryLayout<T>.size
        guard offset >= 0, offset <= bytes.count - size else {
            throw FlatBufferError(reason: "a value at byte \(offset) lies outside the \(bytes.count) bytes")
        }
        return T(littleEndian: bytes.loadUnaligned(fromByteOffset: offset, as: T.self))
    }

    func bytes(at offset: Int, count: Int) throws(FlatBufferError) -> UnsafeRawBufferPointer {
        guard offset >= 0, count >= 0, offset <= bytes.count, count <= bytes.count - offset else {
            throw FlatBufferError(reason: "\(count) bytes at byte \(offset) reach past the \(bytes.count) bytes")
        }
        return UnsafeRawBufferPointer(rebasing: bytes[offset..<offset + count])
    }

    /// The position that the 32-bit forward offset at `offset` points to.
    func follow(at offset: Int) throws(FlatBufferError) -> Int {
        let distance = try load(UInt32.self, at: offset)
        let target = offset + Int(distance)
        guard distance > 0, target < bytes.count else {
            throw FlatBufferError(reason: "the offset at byte \(offset) leads outside the \(bytes.count) bytes")
        }
        return target
    }

    /// Charges the budget for a text before it is copied.
    fileprivate func spend(textBytes: Int) throws(FlatBufferError) { try budget.spend(textBytes: textBytes) }

    /// Charges the budget for elements of a vector before they are read.
    fileprivate func spend(elements: Int) throws(FlatBufferError) { try budget.spend(elements: elements) }

    /// The root table.
    func root() throws(FlatBufferError) -> FlatBufferTable {
        try FlatBufferTable(buffer: self, position: try follow(at: 0))
    }

    /// The four letters after the root offset, which name the schema.
    var identifier: String? {
        guard bytes.count >= 8 else { return nil }
        return String(decoding: bytes[4..<8], as: UTF8.self)
    }
}

/// A table: fields by slot number, each of which may be absent.
struct FlatBufferTable {
    let buffer: FlatBuffer
    let position: Int
    private let fieldOffsets: Int
    private let fieldOffsetsSize: Int
    private let size: Int

    init(buffer: FlatBuffer, position: Int) throws(FlatBufferError) {
        self.buffer = buffer
        self.position = position
        let back = try buffer.load(Int32.self, at: position)
        fieldOffsets = position - Int(back)
        fieldOffsetsSize = Int(try buffer.load(UInt16.self, at: fieldOffsets))
        size = Int(try buffer.load(UInt16.self, at: fieldOffsets + 2))
        guard fieldOffsetsSize >= 4, fieldOffsetsSize.isMultiple(of: 2), size >= 4 else {
            throw FlatBufferError(reason: "the table at byte \(position) has no valid field list")
        }
        _ = try buffer.bytes(at: fieldOffsets, count: fieldOffsetsSize)
        _ = try buffer.bytes(at: position, count: size)
    }

    /// The position of the field's value, or nil if the table does not contain the field.
    private func offset(of field: Int, size fieldSize: Int) throws(FlatBufferError) -> Int? {
        let slot = 4 + 2 * field
        guard slot + 2 <= fieldOffsetsSize else { return nil }
        let distance = Int(try buffer.load(UInt16.self, at: fieldOffsets + slot))
        guard distance != 0 else { return nil }
        guard distance >= 4, distance + fieldSize <= size else {
            throw FlatBufferError(reason: "field \(field) of the table at byte \(position) lies outside the table")
        }
        return position + distance
    }

    /// The target of the offset in a field, or nil if the field is absent.
    func target(of field: Int) throws(FlatBufferError) -> Int? {
        guard let offset = try offset(of: field, size: 4) else { return nil }
        return try buffer.follow(at: offset)
    }

    /// The number of fields that the table's list has room for.
    var fieldCount: Int { (fieldOffsetsSize - 4) / 2 }

    /// The table unchanged; right only if no field is an offset.
    func copy() throws(FlatBufferError) -> FlatBufferNode {
        let list = try buffer.bytes(at: fieldOffsets, count: fieldOffsetsSize)
        let content = try buffer.bytes(at: position + 4, count: size - 4)
        return .copy(list: Array(list), content: Array(content))
    }

    func integer<T: FixedWidthInteger>(_ field: Int, default value: T) throws(FlatBufferError) -> T {
        guard let offset = try offset(of: field, size: MemoryLayout<T>.size) else { return value }
        return try buffer.load(T.self, at: offset)
    }

    func float(_ field: Int, default value: Float) throws(FlatBufferError) -> Float {
        guard let offset = try offset(of: field, size: 4) else { return value }
        return Float(bitPattern: try buffer.load(UInt32.self, at: offset))
    }

    func table(_ field: Int) throws(FlatBufferError) -> FlatBufferTable? {
        guard let offset = try offset(of: field, size: 4) else { return nil }
        return try FlatBufferTable(buffer: buffer, position: try buffer.follow(at: offset))
    }

    /// A text. Invalid UTF-8 is repaired.
    func string(_ field: Int) throws(FlatBufferError) -> String? {
        guard let bytes = try byteVector(field) else { return nil }
        try buffer.spend(textBytes: bytes.count)
        return String(decoding: bytes, as: UTF8.self)
    }

    /// The beginning of a text.
    func string(_ field: Int, cutAt count: Int) throws(FlatBufferError) -> String? {
        guard let bytes = try byteVector(field) else { return nil }
        let beginning = UnsafeRawBufferPointer(rebasing: bytes.prefix(count))
        try buffer.spend(textBytes: beginning.count)
        return String(decoding: beginning, as: UTF8.self)
    }

    /// A vector of elements of `stride` bytes each: the position of the first element and the number of elements.
    private func vector(_ field: Int, stride: Int) throws(FlatBufferError) -> (start: Int, count: Int)? {
        guard let offset = try offset(of: field, size: 4) else { return nil }
        let start = try buffer.follow(at: offset)
        let count = Int(try buffer.load(UInt32.self, at: start))
        _ = try buffer.bytes(at: start + 4, count: count * stride)
        return (start + 4, count)
    }

    /// The vector's bytes within the buffer, or nil if the field is absent.
    func byteVector(_ field: Int) throws(FlatBufferError) -> UnsafeRawBufferPointer? {
        guard let (start, count) = try vector(field, stride: 1) else { return nil }
        return try buffer.bytes(at: start, count: count)
    }

    func integers<T: FixedWidthInteger>(_ field: Int, of type: T.Type) throws(FlatBufferError) -> [T]? {
        let stride = MemoryLayout<T>.size
        guard let (start, count) = try vector(field, stride: stride) else { return nil }
        try buffer.spend(elements: count)
        var values: [T] = []
        values.reserveCapacity(count)
        for index in 0..<count { values.append(try buffer.load(T.self, at: start + index * stride)) }
        return values
    }

    func floats(_ field: Int) throws(FlatBufferError) -> [Float]? {
        try integers(field, of: UInt32.self)?.map(Float.init(bitPattern:))
    }

    func tables(_ field: Int) throws(FlatBufferError) -> FlatBufferTables {
        guard let (start, count) = try vector(field, stride: 4) else {
            return FlatBufferTables(buffer: buffer, start: 0, count: 0)
        }
        try buffer.spend(elements: count)
        return FlatBufferTables(buffer: buffer, start: start, count: count)
    }
}

/// A vector of tables.
struct FlatBufferTables {
    let buffer: FlatBuffer
    let start: Int
    let count: Int

    /// Reads the element at `index`, which must be in 0..<count.
    func table(at index: Int) throws(FlatBufferError) -> FlatBufferTable {
        try FlatBufferTable(buffer: buffer, position: try buffer.follow(at: start + 4 * index))
    }

    func map<T>(
        _ transform: (Int, FlatBufferTable) throws(FlatBufferError) -> T
    ) throws(FlatBufferError) -> [T] {
        var results: [T] = []
        results.reserveCapacity(count)
        for index in 0..<count { results.append(try transform(index, try table(at: index))) }
        return results
    }
}
