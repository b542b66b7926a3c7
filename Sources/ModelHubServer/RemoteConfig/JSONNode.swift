/// A value in a JSON text with its position, so that errors can state the position.
struct JSONNode: Sendable, Hashable {
    /// The kind and the contents of a value.
    enum Content: Sendable, Hashable {
        case null
        case bool(Bool)
        /// A number in its original text.
        case number(String)
        case string(String)
        case array([JSONNode])
        case object([Member])
    }

    /// A field of an object, in the order of the text.
    struct Member: Sendable, Hashable {
        var key: String
        /// The position of the key.
        var offset: Int
        var value: JSONNode
    }

    var content: Content
    /// The position of the value in bytes.
    var offset: Int

    /// A dialect of JSON.
    enum Dialect {
        /// RFC 8259, with unique keys.
        case strict
        /// Also accepts unquoted keys, text in single quotes, and trailing commas, as sent by Firebase's iOS SDK. For
        /// equal keys the last one counts.
        case lenient
    }

    /// Parses a text.
    ///
    /// - Throws: ``JSONFailure`` with the position of the first mistake.
    static func parse(_ bytes: [UInt8], _ dialect: Dialect = .strict) throws(JSONFailure) -> JSONNode {
        var reader = JSONReader(bytes: bytes, dialect: dialect)
        return try reader.whole()
    }

    /// Parses a text that a client sent.
    ///
    /// - Parameter name: The text's name at the beginning of a sentence.
    /// - Throws: `.invalidArgument` with the position of the first mistake.
    static func document(
        _ bytes: [UInt8],
        called name: String,
        _ dialect: Dialect = .strict
    ) throws(HubError) -> JSONNode {
        do {
            return try parse(bytes, dialect)
        } catch {
            throw HubError(
                .invalidArgument,
                "\(name) is not JSON at \(TextPlace(bytes, offset: error.offset)): \(error.reason)."
            )
        }
    }

    /// The value of a field; nil if the value is not an object, or if the field is missing or null.
    subscript(key: String) -> JSONNode? {
        guard case .object(let members) = content, let value = members.last(where: { $0.key == key })?.value,
            value.content != .null
        else { return nil }
        return value
    }

    /// The text of a string.
    var string: String? {
        guard case .string(let text) = content else { return nil }
        return text
    }

    /// The text of a string, or the original text of a number.
    var stringOrNumber: String? {
        switch content {
        case .string(let text), .number(let text): text
        default: nil
        }
    }

    /// The kind of the value, for people.
    var kind: String {
        switch content {
        case .null: "null"
        case .bool: "true or false"
        case .number: "a number"
        case .string: "a text"
        case .array: "a list"
        case .object: "an object"
        }
    }
}

/// The reason why a text is not JSON, and the position.
struct JSONFailure: Error, Hashable {
    /// The number of correct bytes.
    var offset: Int
    /// The mistake, as part of a sentence.
    var reason: String
}

/// A position in a text, as counted by editors.
struct TextPlace: Sendable, Hashable, CustomStringConvertible {
    /// Counted from 1.
    var line: Int
    /// Characters, counted from 1.
    var column: Int

    /// Creates the position of a byte offset.
    init(_ bytes: [UInt8], offset: Int) {
        let before = bytes.prefix(max(offset, 0))
        line = before.count { $0 == 0x0A } + 1
        let start = before.lastIndex(of: 0x0A).map { $0 + 1 } ?? 0
        column = String(decoding: before[start...], as: UTF8.self).count + 1
    }

    var description: String { "line \(line), column \(column)" }
}
