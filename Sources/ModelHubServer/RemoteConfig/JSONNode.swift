/// A value in a JSON text that knows where it stands there, so that errors can say so.
struct JSONNode: Sendable, Hashable {
    /// What it is.
    enum Content: Sendable, Hashable {
        case null
        case bool(Bool)
        /// A number as it is written.
        case number(String)
        case string(String)
        case array([JSONNode])
        case object([Member])
    }

    /// A field of an object, in the order of the text.
    struct Member: Sendable, Hashable {
        var key: String
        /// Where its key begins.
        var offset: Int
        var value: JSONNode
    }

    var content: Content
    /// Where it begins, in bytes.
    var offset: Int

    /// How a text may be written.
    enum Dialect {
        /// RFC 8259, with every key at most once.
        case strict
        /// Also with bare keys, text in single quotes and a comma too many: what Firebase's iOS SDK sends. Of equal keys the
        /// last counts.
        case lenient
    }

    /// Reads a text.
    ///
    /// - Throws: ``JSONFailure`` with the place where the text ceases to be JSON.
    static func parse(_ bytes: [UInt8], _ dialect: Dialect = .strict) throws(JSONFailure) -> JSONNode {
        var reader = JSONReader(bytes: bytes, dialect: dialect)
        return try reader.whole()
    }

    /// The value of a field; nil if it is no object or has no such field, or if the field is null.
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

    /// The text of a string, or a number as it is written.
    var stringOrNumber: String? {
        switch content {
        case .string(let text), .number(let text): text
        default: nil
        }
    }

    /// What it is, for people.
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

/// Why a text is no JSON, and where.
struct JSONFailure: Error, Hashable {
    /// How many bytes are right.
    var offset: Int
    /// What is wrong there, as part of a sentence.
    var reason: String
}

/// A place in a text as editors count it.
struct TextPlace: Sendable, Hashable, CustomStringConvertible {
    /// From 1.
    var line: Int
    /// Characters from 1.
    var column: Int

    /// The place so many bytes from the beginning.
    init(_ bytes: [UInt8], offset: Int) {
        let before = bytes.prefix(max(offset, 0))
        line = before.count { $0 == 0x0A } + 1
        let start = before.lastIndex(of: 0x0A).map { $0 + 1 } ?? 0
        column = String(decoding: before[start...], as: UTF8.self).count + 1
    }

    var description: String { "line \(line), column \(column)" }
}
