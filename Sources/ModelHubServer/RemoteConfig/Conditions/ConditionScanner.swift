/// Splits an expression into names, signs, texts and numbers. Spaces between them are ignored.
struct ConditionScanner {
    private let bytes: [UInt8]
    private var position = 0

    init(_ text: String) { bytes = Array(text.utf8) }

    var isAtEnd: Bool {
        mutating get {
            skipSpace()
            return position >= bytes.count
        }
    }

    /// The position of the next token in bytes.
    var place: Int {
        mutating get {
            skipSpace()
            return position
        }
    }

    private var current: UInt8? { position < bytes.count ? bytes[position] : nil }

    private mutating func skipSpace() {
        while let byte = current, byte == 0x20 || byte == 0x09 || byte == 0x0A || byte == 0x0D { position += 1 }
    }

    /// A failure at the current position.
    mutating func failure(_ reason: String) -> ExpressionFailure { failure(reason, at: place) }

    func failure(_ reason: String, at place: Int) -> ExpressionFailure {
        let before = bytes.prefix(max(place, 0))
        return ExpressionFailure(character: String(decoding: before, as: UTF8.self).count + 1, reason: reason)
    }

    mutating func takes(_ sign: StaticString) -> Bool {
        skipSpace()
        let matches = sign.withUTF8Buffer { bytes[position...].starts(with: $0) }
        if matches { position += sign.utf8CodeUnitCount }
        return matches
    }

    mutating func expect(_ sign: StaticString) throws(ExpressionFailure) {
        guard takes(sign) else { throw failure("expected \(sign)") }
    }

    /// Takes a word that is not followed by a letter.
    mutating func takesWord(_ word: String) -> Bool {
        skipSpace()
        guard bytes[position...].starts(with: word.utf8) else { return false }
        let end = position + word.utf8.count
        guard end >= bytes.count || !Self.isWord(bytes[end]) else { return false }
        position = end
        return true
    }

    /// Takes words separated by points; returns them and their position. A point without a following letter is not part
    /// of the name.
    mutating func name() -> (name: String, start: Int) {
        skipSpace()
        let start = position
        while let byte = current {
            if Self.isWord(byte) {
                position += 1
            } else if byte == UInt8(ascii: "."), position > start, position + 1 < bytes.count,
                Self.isWord(bytes[position + 1]), !isMethod(after: position)
            {
                position += 1
            } else {
                break
            }
        }
        return (String(decoding: bytes[start..<position], as: UTF8.self), start)
    }

    /// Whether the text after a point is a comparison and not a part of the name.
    private func isMethod(after point: Int) -> Bool {
        let word = bytes[(point + 1)...].prefix { Self.isWord($0) }
        let next = bytes[word.endIndex...].first { $0 != 0x20 }
        return next == UInt8(ascii: "(")
    }

    private static func isWord(_ byte: UInt8) -> Bool {
        (97...122).contains(byte) || (65...90).contains(byte) || (48...57).contains(byte) || byte == 95
    }

    /// Takes a comparison operator, if there is one.
    mutating func comparison() -> Comparison? {
        if takes("<=") { return .lessOrEqual }
        if takes(">=") { return .greaterOrEqual }
        if takes("==") { return .equal }
        if takes("!=") { return .notEqual }
        if takes("<") { return .less }
        if takes(">") { return .greater }
        return nil
    }

    /// Takes a text in single or double quotes. A backslash escapes the next character.
    mutating func string() throws(ExpressionFailure) -> String {
        skipSpace()
        guard let quote = current, quote == UInt8(ascii: "'") || quote == UInt8(ascii: "\"") else {
            throw failure("expected a text in quotes")
        }
        let start = position
        position += 1
        var text: [UInt8] = []
        while let byte = current {
            position += 1
            if byte == quote {
                // The bytes come from a String, and only whole ASCII characters were removed.
                return String(decoding: text, as: UTF8.self)
            }
            if byte == UInt8(ascii: "\\"), let next = current {
                text.append(next)
                position += 1
            } else {
                text.append(byte)
            }
        }
        throw failure("the text has no closing quote", at: start)
    }

    /// The largest number of texts in a list.
    private static let maximumValues = 1000

    /// Takes a list of texts in brackets.
    mutating func strings() throws(ExpressionFailure) -> [String] {
        try expect("[")
        var values = [try string()]
        while takes(",") {
            guard values.count < Self.maximumValues else {
                throw failure("the list has more than \(Self.maximumValues) values")
            }
            values.append(try string())
        }
        try expect("]")
        return values
    }

    /// Takes the longest text of digits and points, with a minus sign before it.
    mutating func numberText() -> String {
        skipSpace()
        let start = position
        if current == UInt8(ascii: "-") { position += 1 }
        while let byte = current, (48...57).contains(byte) || byte == UInt8(ascii: ".") { position += 1 }
        return String(decoding: bytes[start..<position], as: UTF8.self)
    }

    mutating func number() throws(ExpressionFailure) -> Double {
        let start = place
        guard let value = Double(numberText()), value.isFinite else {
            throw failure("expected a number", at: start)
        }
        guard current != UInt8(ascii: "e"), current != UInt8(ascii: "E") else {
            throw failure("a number has no exponent; write all its digits", at: start)
        }
        return value
    }
}
