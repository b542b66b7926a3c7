/// Reads the map of numbers that holds the options of a custom operator. The kernel reads the map without checks.
///
/// Format: https://flatbuffers.dev/flexbuffers (schemaless; the root's type and width are the last two bytes; offsets
/// point back). The reader accepts only scalars stored in place; the operator's options have no other values.
struct FlexBufferMap {
    let values: [String: Double]
    /// The places of the values that are floating-point numbers.
    let floats: [String: Range<Int>]

    init(_ bytes: UnsafeRawBufferPointer) throws(FlatBufferError) {
        let buffer = FlatBuffer(bytes: bytes)
        guard bytes.count >= 3 else { throw FlatBufferError(reason: "its options are too short") }
        let rootWidth = Int(bytes[bytes.count - 1])
        let rootType = bytes[bytes.count - 2]
        // Type 9 is a map; the low two bits are the width of the offset's target.
        guard rootType >> 2 == 9, [1, 2, 4, 8].contains(rootWidth) else {
            throw FlatBufferError(reason: "its options are not a map")
        }
        let width = 1 << Int(rootType & 3)
        let root = bytes.count - 2 - rootWidth
        let start = try Self.back(buffer, at: root, width: rootWidth)
        let count = try Self.unsigned(buffer, at: start - width, width: width)
        let keys = try Self.back(buffer, at: start - 3 * width, width: width)
        let keyWidth = try Self.unsigned(buffer, at: start - 2 * width, width: width)
        guard count <= 64, [1, 2, 4, 8].contains(keyWidth),
            try Self.unsigned(buffer, at: keys - keyWidth, width: keyWidth) == count
        else { throw FlatBufferError(reason: "its options have no valid list of keys") }
        var values: [String: Double] = [:]
        var floats: [String: Range<Int>] = [:]
        for index in 0..<count {
            let key = try Self.text(buffer, at: try Self.back(buffer, at: keys + index * keyWidth, width: keyWidth))
            let type = Int(try buffer.load(UInt8.self, at: start + count * width + index))
            let place = start + index * width
            values[key] = try Self.scalar(buffer, at: place, width: width, type: type >> 2)
            if type >> 2 == Self.floatType { floats[key] = place..<place + width }
        }
        guard values.count == count else { throw FlatBufferError(reason: "its options contain a key twice") }
        self.values = values
        self.floats = floats
    }

    private static func unsigned(_ buffer: FlatBuffer, at position: Int, width: Int) throws(FlatBufferError) -> Int {
        let value: UInt64 =
            switch width {
            case 1: UInt64(try buffer.load(UInt8.self, at: position))
            case 2: UInt64(try buffer.load(UInt16.self, at: position))
            case 4: UInt64(try buffer.load(UInt32.self, at: position))
            default: try buffer.load(UInt64.self, at: position)
            }
        guard let small = Int(exactly: value), small <= Int(Int32.max) else {
            throw FlatBufferError(reason: "its options hold the size \(value)")
        }
        return small
    }

    /// Follows an offset, which counts backward from its own position.
    private static func back(_ buffer: FlatBuffer, at position: Int, width: Int) throws(FlatBufferError) -> Int {
        let target = position - (try unsigned(buffer, at: position, width: width))
        guard target >= 0, target < position else {
            throw FlatBufferError(reason: "an offset in its options leads outside")
        }
        return target
    }

    private static func text(_ buffer: FlatBuffer, at position: Int) throws(FlatBufferError) -> String {
        var bytes: [UInt8] = []
        while true {
            let byte = try buffer.load(UInt8.self, at: position + bytes.count)
            guard byte != 0 else { return String(decoding: bytes, as: UTF8.self) }
            guard bytes.count < 256 else { throw FlatBufferError(reason: "a key of its options does not end") }
            bytes.append(byte)
        }
    }

    private static let floatType = 3

    /// Types 1, 2, 3 and 26 are int, uint, float and bool.
    private static func scalar(
        _ buffer: FlatBuffer,
        at position: Int,
        width: Int,
        type: Int
    ) throws(FlatBufferError) -> Double {
        switch (type, width) {
        case (1, 1): return Double(try buffer.load(Int8.self, at: position))
        case (1, 2): return Double(try buffer.load(Int16.self, at: position))
        case (1, 4): return Double(try buffer.load(Int32.self, at: position))
        case (1, 8): return Double(try buffer.load(Int64.self, at: position))
        case (2, _), (26, _): return Double(try unsigned(buffer, at: position, width: width))
        case (floatType, 4): return Double(Float(bitPattern: try buffer.load(UInt32.self, at: position)))
        case (floatType, 8): return Double(bitPattern: try buffer.load(UInt64.self, at: position))
        default: throw FlatBufferError(reason: "an option has the type \(type), which is not a number")
        }
    }
}
