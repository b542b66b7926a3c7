/// Recognizes ONNX models by the fields at their beginning, in any order.
///
/// Protocol Buffers have no identifier, and their writers may order fields as they like: some begin with the graph or with the version
/// of the model. The walk accepts what a `ModelProto` can contain, and stops at the first part that only an ONNX model has: a graph, a
/// set of operators, or a property. A field that no ONNX model has, or text with control characters where ONNX has a name, as the
/// messages of SavedModel, GraphDef and Core ML have there, ends it. Source of the fields: onnx.proto.
///
/// Unsafe but sound: every access is at a position below `end`, which is at most the number of bytes.
struct OnnxSigns {
    /// The number of bytes that the walk looks at: beyond it lie weights.
    static let recognizedBytes = 1 << 16
    /// The largest number of fields of a message that the walk looks at.
    private static let maximumFields = 64

    /// Whether bytes are the beginning of an ONNX model.
    static func areIn(_ bytes: UnsafeRawBufferPointer) -> Bool {
        var model = OnnxSigns(bytes, 0..<min(bytes.count, recognizedBytes))
        // Letters and punctuation are fields too, but no model is text as far as this: its names and texts have their lengths.
        let start = OnnxSigns(bytes, 0..<min(bytes.count, 512))
        return !model.isText(start, withLines: true) && model.isModel()
    }

    private let bytes: UnsafeRawBufferPointer
    private var position: Int
    private let end: Int

    private init(_ bytes: UnsafeRawBufferPointer, _ range: Range<Int>) {
        (self.bytes, position, end) = (bytes, range.lowerBound, range.upperBound)
    }

    // MARK: - Messages

    private mutating func isModel() -> Bool {
        var (version, hasMore) = (UInt64?.none, false)
        for _ in 0..<Self.maximumFields {
            switch next() {
            case .end: return version != nil && hasMore
            case .field(1, .integer(let number)):
                // A list of extents, with which a tensor begins, repeats field 1.
                guard version == nil, (1...999).contains(number) else { return false }
                version = number
            case .field(2...4, .part(let part)):
                guard isText(part) else { return false }
                hasMore = hasMore || !part.isEmpty
            case .field(5, .integer): break
            case .field(6, .part(let part)):
                guard isText(part, withLines: true) else { return false }
                hasMore = hasMore || !part.isEmpty
            case .field(7, .part(let part)) where !part.isEmpty: return part.all(Self.graph)
            case .field(8, .part(let part)) where !part.isEmpty: return part.all(Self.operatorSet)
            case .field(14, .part(let part)) where !part.isEmpty: return part.all(Self.property)
            case .field(7, .part), .field(8, .part), .field(14, .part): hasMore = true
            // A training, functions, and what later versions of the format add.
            case .field(20...99, _): break
            case .field, .damage: return false
            }
        }
        return false
    }

    /// The forms of a message's fields by their numbers.
    private typealias Fields = @Sendable (_ number: Int, _ value: Value, _ signs: OnnxSigns) -> Bool

    private static let graph: Fields = { number, value, signs in
        switch (number, value) {
        case (1, .part(let part)): part.all(node)
        case (2, .part(let part)): signs.isText(part)
        case (10, .part(let part)): signs.isText(part, withLines: true)
        case (5, .part(let part)): part.all { number, _, _ in (1...16).contains(number) }
        case (11...13, .part(let part)):
            part.all { number, value, signs in
                if case (1, .part(let name)) = (number, value) { signs.isText(name) } else { (2...9).contains(number) }
            }
        case (14...16, .part(let part)): part.all { number, _, _ in (1...3).contains(number) }
        default: false
        }
    }

    private static let node: Fields = { number, value, signs in
        switch (number, value) {
        case (1...4, .part(let part)), (7...8, .part(let part)): signs.isText(part)
        case (6, .part(let part)): signs.isText(part, withLines: true)
        case (5, .part), (9...19, .part): true
        default: false
        }
    }

    private static let operatorSet: Fields = { number, value, signs in
        switch (number, value) {
        case (1, .part(let part)): signs.isText(part)
        case (2, .integer(let version)): version < 1 << 16
        default: false
        }
    }

    private static let property: Fields = { number, value, signs in
        switch (number, value) {
        case (1, .part(let part)): signs.isText(part)
        case (2, .part): true
        default: false
        }
    }

    /// Whether all fields of this part have the given forms, as far as the bytes reach.
    private func all(_ form: Fields) -> Bool {
        var fields = self
        for _ in 0..<Self.maximumFields {
            switch fields.next() {
            case .end: return true
            case .field(let number, let value): guard form(number, value, self) else { return false }
            case .damage: return false
            }
        }
        return true
    }

    /// Whether a part is text as names are, as far as the bytes reach.
    private func isText(_ part: OnnxSigns, withLines: Bool = false) -> Bool {
        bytes[part.position..<part.end].allSatisfy { byte in
            byte >= 0x20 && byte != 0x7F || withLines && [9, 10, 13].contains(byte)
        }
    }

    // MARK: - The wire format

    private enum Value {
        case integer(UInt64)
        /// A number of four or eight bytes.
        case number
        /// A text or a message, as far as the bytes reach.
        case part(OnnxSigns)
    }

    private enum Step {
        case field(Int, Value)
        /// The end of the message or of the bytes.
        case end
        case damage
    }

    private var isEmpty: Bool { position >= end }

    private mutating func next() -> Step {
        guard position < end else { return .end }
        guard let key = integer() else { return isEmpty ? .end : .damage }
        guard key >> 3 > 0, let number = Int(exactly: key >> 3) else { return .damage }
        switch key & 7 {
        case 0:
            guard let value = integer() else { return isEmpty ? .end : .damage }
            return .field(number, .integer(value))
        case 1, 5:
            position = min(position + (key & 7 == 1 ? 8 : 4), end)
            return .field(number, .number)
        case 2:
            guard let count = integer() else { return isEmpty ? .end : .damage }
            let start = position
            position = count < UInt64(end - start) ? start + Int(count) : end
            return .field(number, .part(OnnxSigns(bytes, start..<position)))
        default: return .damage
        }
    }

    /// The next number of variable length; nil if it does not end.
    private mutating func integer() -> UInt64? {
        var result: UInt64 = 0
        for shift in stride(from: UInt64(0), to: 70, by: 7) {
            guard position < end else { return nil }
            let byte = bytes[position]
            position += 1
            if shift == 63, byte > 1 { return nil }
            result |= UInt64(byte & 0x7F) << shift
            if byte & 0x80 == 0 { return result }
        }
        return nil
    }
}
