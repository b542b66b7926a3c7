/// Parses JSON byte by byte. Depth and size are bounded, so that no text leads to a long or deep run.
struct JSONReader {
    private let bytes: [UInt8]
    private let dialect: JSONNode.Dialect
    private var position = 0

    /// The maximum depth of nested arrays and objects.
    private static let maximumDepth = 32

    init(bytes: [UInt8], dialect: JSONNode.Dialect) {
        self.bytes = bytes
        self.dialect = dialect
    }

    mutating func whole() throws(JSONFailure) -> JSONNode {
        let node = try value(depth: 0)
        skipSpace()
        guard position >= bytes.count else { throw failure("expected the end of the text") }
        return node
    }

    private func failure(_ reason: String) -> JSONFailure {
        JSONFailure(offset: min(position, bytes.count), reason: reason)
    }

    private var current: UInt8? { position < bytes.count ? bytes[position] : nil }

    private mutating func skipSpace() {
        while let byte = current, byte == 0x20 || byte == 0x09 || byte == 0x0A || byte == 0x0D { position += 1 }
    }

    private mutating func takes(_ byte: UInt8) -> Bool {
        guard current == byte else { return false }
        position += 1
        return true
    }

    private mutating func value(depth: Int) throws(JSONFailure) -> JSONNode {
        skipSpace()
        let start = position
        guard depth <= Self.maximumDepth else { throw failure("values nest deeper than \(Self.maximumDepth)") }
        let content: JSONNode.Content
        switch current {
        case UInt8(ascii: "{"): content = try object(depth: depth)
        case UInt8(ascii: "["): content = try array(depth: depth)
        case UInt8(ascii: "\""): content = .string(try string(UInt8(ascii: "\"")))
        case UInt8(ascii: "'") where dialect == .lenient: content = .string(try string(UInt8(ascii: "'")))
        case let byte? where byte == UInt8(ascii: "-") || (48...57).contains(byte): content = .number(try number())
        case UInt8(ascii: "t") where takesWord("true"): content = .bool(true)
        case UInt8(ascii: "f") where takesWord("false"): content = .bool(false)
        case UInt8(ascii: "n") where takesWord("null"): content = .null
        case nil: throw failure("a value is missing")
        default: throw failure("this is not a value")
        }
        return JSONNode(content: content, offset: start)
    }

    private mutating func takesWord(_ word: StaticString) -> Bool {
        let matches = word.withUTF8Buffer { letters in bytes[position...].starts(with: letters) }
        if matches { position += word.utf8CodeUnitCount }
        return matches
    }

    private mutating func array(depth: Int) throws(JSONFailure) -> JSONNode.Content {
        position += 1
        var elements: [JSONNode] = []
        skipSpace()
        if takes(UInt8(ascii: "]")) { return .array([]) }
        while true {
            elements.append(try value(depth: depth + 1))
            skipSpace()
            if takes(UInt8(ascii: "]")) { return .array(elements) }
            guard takes(UInt8(ascii: ",")) else { throw failure("a comma or ] is missing") }
            skipSpace()
            if dialect == .lenient, takes(UInt8(ascii: "]")) { return .array(elements) }
        }
    }

    private mutating func object(depth: Int) throws(JSONFailure) -> JSONNode.Content {
        position += 1
        var members: [JSONNode.Member] = []
        var keys: Set<String> = []
        skipSpace()
        if takes(UInt8(ascii: "}")) { return .object([]) }
        while true {
            skipSpace()
            let start = position
            let key = try key()
            if !keys.insert(key).inserted, dialect == .strict {
                position = start
                throw failure("the key \"\(key.prefix(60))\" occurs twice")
            }
            skipSpace()
            guard takes(UInt8(ascii: ":")) else { throw failure("a colon is missing") }
            members.append(.init(key: key, offset: start, value: try value(depth: depth + 1)))
            skipSpace()
            if takes(UInt8(ascii: "}")) { return .object(members) }
            guard takes(UInt8(ascii: ",")) else { throw failure("a comma or } is missing") }
            skipSpace()
            if dialect == .lenient, takes(UInt8(ascii: "}")) { return .object(members) }
        }
    }

    private mutating func key() throws(JSONFailure) -> String {
        switch current {
        case UInt8(ascii: "\""): return try string(UInt8(ascii: "\""))
        case UInt8(ascii: "'") where dialect == .lenient: return try string(UInt8(ascii: "'"))
        default:
            guard dialect == .lenient else { throw failure("a key in double quotes is missing") }
            let start = position
            while let byte = current, Self.isWord(byte) { position += 1 }
            guard position > start else { throw failure("a key is missing") }
            return String(decoding: bytes[start..<position], as: UTF8.self)
        }
    }

    private static func isWord(_ byte: UInt8) -> Bool {
        (97...122).contains(byte) || (65...90).contains(byte) || (48...57).contains(byte) || byte == 95 || byte == 36
            || byte == 45
    }

    private mutating func number() throws(JSONFailure) -> String {
        let start = position
        _ = takes(UInt8(ascii: "-"))
        let isZero = current == UInt8(ascii: "0")
        let whole = digits()
        guard whole > 0, !isZero || whole == 1 else { throw failure("this is not a number") }
        if takes(UInt8(ascii: ".")) {
            guard digits() > 0 else { throw failure("digits are missing after the point") }
        }
        if takes(UInt8(ascii: "e")) || takes(UInt8(ascii: "E")) {
            if !takes(UInt8(ascii: "-")) { _ = takes(UInt8(ascii: "+")) }
            guard digits() > 0 else { throw failure("digits of the exponent are missing") }
        }
        return String(decoding: bytes[start..<position], as: UTF8.self)
    }

    private mutating func digits() -> Int {
        let start = position
        while let byte = current, (48...57).contains(byte) { position += 1 }
        return position - start
    }

    private mutating func string(_ quote: UInt8) throws(JSONFailure) -> String {
        position += 1
        let start = position
        // Most texts have no escapes and are copied as a whole.
        while let byte = current, byte != quote, byte != UInt8(ascii: "\\"), byte >= 0x20 { position += 1 }
        if current == quote {
            defer { position += 1 }
            guard let text = String(validating: bytes[start..<position], as: UTF8.self) else {
                throw JSONFailure(offset: start, reason: "the text is not UTF-8")
            }
            return text
        }
        var text = Array(bytes[start..<position])
        while true {
            guard let byte = current else { throw failure("the text has no closing quote") }
            switch byte {
            case quote:
                position += 1
                guard let text = String(validating: text, as: UTF8.self) else {
                    throw JSONFailure(offset: start, reason: "the text is not UTF-8")
                }
                return text
            case UInt8(ascii: "\\"):
                position += 1
                text += String(try escaped()).utf8
            case ..<0x20: throw failure("the text contains an unescaped control character")
            default:
                text.append(byte)
                position += 1
            }
        }
    }

    private mutating func escaped() throws(JSONFailure) -> Character {
        guard let byte = current else { throw failure("the text has no closing quote") }
        position += 1
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): return Character(UnicodeScalar(byte))
        case UInt8(ascii: "'") where dialect == .lenient: return "'"
        case UInt8(ascii: "b"): return "\u{8}"
        case UInt8(ascii: "f"): return "\u{C}"
        case UInt8(ascii: "n"): return "\n"
        case UInt8(ascii: "r"): return "\r"
        case UInt8(ascii: "t"): return "\t"
        case UInt8(ascii: "u"): return Character(try escapedScalar())
        default:
            position -= 1
            throw failure("this escape does not exist")
        }
    }

    /// Parses a scalar; scalars beyond the basic plane are written as two surrogates (RFC 8259, section 7).
    private mutating func escapedScalar() throws(JSONFailure) -> UnicodeScalar {
        let first = try codeUnit()
        if let scalar = UnicodeScalar(first) { return scalar }
        guard (0xD800..<0xDC00).contains(first), takes(UInt8(ascii: "\\")), takes(UInt8(ascii: "u")) else {
            throw failure("half of a surrogate pair is missing")
        }
        let second = try codeUnit()
        guard (0xDC00..<0xE000).contains(second),
            let scalar = UnicodeScalar(0x10000 + (first - 0xD800) * 0x400 + (second - 0xDC00))
        else { throw failure("half of a surrogate pair is missing") }
        return scalar
    }

    private mutating func codeUnit() throws(JSONFailure) -> UInt32 {
        guard bytes.count - position >= 4,
            let text = String(validating: bytes[position..<position + 4], as: UTF8.self),
            text.utf8.allSatisfy({ UnicodeScalar($0).properties.isASCIIHexDigit }), let value = UInt32(text, radix: 16)
        else { throw failure("four hexadecimal digits are missing") }
        position += 4
        return value
    }
}
