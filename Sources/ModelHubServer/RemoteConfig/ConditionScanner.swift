/// Takes an expression apart into names, signs, texts and numbers. Spaces between them do not matter.
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

    /// Where what comes next begins, in bytes.
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

    /// A failure here.
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
        guard takes(sign) else { throw failure("\(sign) should stand here") }
    }

    /// A word that no letter follows.
    mutating func takesWord(_ word: String) -> Bool {
        skipSpace()
        guard bytes[position...].starts(with: word.utf8) else { return false }
        let end = position + word.utf8.count
        guard end >= bytes.count || !Self.isWord(bytes[end]) else { return false }
        position = end
        return true
    }

    /// Words with points between them, and where they begin; a point that no letter follows is not part of it.
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

    /// Whether what comes after a point is a comparison, not a part of the name.
    private func isMethod(after point: Int) -> Bool {
        let word = bytes[(point + 1)...].prefix { Self.isWord($0) }
        let next = bytes[word.endIndex...].first { $0 != 0x20 }
        return next == UInt8(ascii: "(")
    }

    private static func isWord(_ byte: UInt8) -> Bool {
        (97...122).contains(byte) || (65...90).contains(byte) || (48...57).contains(byte) || byte == 95
    }

    /// A sign of comparison, if one is here.
    mutating func comparison() -> Comparison? {
        if takes("<=") { return .lessOrEqual }
        if takes(">=") { return .greaterOrEqual }
        if takes("==") { return .equal }
        if takes("!=") { return .notEqual }
        if takes("<") { return .less }
        if takes(">") { return .greater }
        return nil
    }

    /// A text in single or double quotes; a backslash takes the next character as it is.
    mutating func string() throws(ExpressionFailure) -> String {
        skipSpace()
        guard let quote = current, quote == UInt8(ascii: "'") || quote == UInt8(ascii: "\"") else {
            throw failure("a text in quotes should stand here")
        }
        let start = position
        position += 1
        var text: [UInt8] = []
        while let byte = current {
            position += 1
            if byte == quote {
                // The bytes are those of a String from which only whole ASCII characters were taken.
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

    private mutating func numberText() -> String {
        skipSpace()
        let start = position
        if current == UInt8(ascii: "-") { position += 1 }
        while let byte = current, (48...57).contains(byte) || byte == UInt8(ascii: ".") { position += 1 }
        return String(decoding: bytes[start..<position], as: UTF8.self)
    }

    mutating func number() throws(ExpressionFailure) -> Double {
        let start = place
        guard let value = Double(numberText()), value.isFinite else {
            throw failure("a number should stand here", at: start)
        }
        return value
    }

    /// Percent, from 0 to 100 with up to six decimals, in millionths.
    mutating func microPercent() throws(ExpressionFailure) -> UInt32 {
        let start = place
        let parts = numberText().split(separator: ".", omittingEmptySubsequences: false)
        let decimals = parts.count == 2 ? parts[1] : ""
        guard (1...2).contains(parts.count), !parts[0].isEmpty, decimals.utf8.count <= 6,
            parts.count == 1 || !decimals.isEmpty,
            let value = UInt32(String(parts[0]) + decimals + String(repeating: "0", count: 6 - decimals.utf8.count)),
            value <= PercentBucket.count
        else { throw failure("a number from 0 to 100 with at most six decimals should stand here", at: start) }
        return value
    }
}
