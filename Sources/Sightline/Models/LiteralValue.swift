import Foundation

/// A value as Python's `repr` or JSON writes it: dictionaries, lists, texts, numbers and constants.
///
/// The text comes from an untrusted model: its size and depth are bounded, and no part of it is evaluated.
indirect enum LiteralValue: Sendable, Hashable {
    case dictionary([Key: LiteralValue])
    case list([LiteralValue])
    case text(String)
    case integer(Int)
    /// Anything else, such as a fraction, `True` or `null`.
    case other(String)

    /// The key of a dictionary.
    enum Key: Sendable, Hashable {
        case text(String)
        case integer(Int)
    }

    /// The largest number of bytes of a text.
    static let maximumBytes = 1 << 20

    /// Reads a text that holds one value.
    init(parsing text: String) throws(Failure) {
        guard text.utf8.count <= Self.maximumBytes else {
            throw Failure(reason: "it has more than \(Self.maximumBytes) bytes")
        }
        var parser = LiteralParser(text)
        self = try parser.value(depth: 0)
        try parser.finish()
    }

    /// The reason why a text is not a value.
    struct Failure: Error {
        let reason: String
    }
}

private struct LiteralParser {
    private let characters: [Unicode.Scalar]
    private var position = 0

    private static let maximumDepth = 16

    init(_ text: String) { characters = Array(text.unicodeScalars) }

    private var next: Unicode.Scalar? { position < characters.count ? characters[position] : nil }

    private mutating func skipSpace() {
        while let character = next, character.properties.isWhitespace { position += 1 }
    }

    private mutating func take(_ wanted: Unicode.Scalar) -> Bool {
        skipSpace()
        guard next == wanted else { return false }
        position += 1
        return true
    }

    private func failure(_ expected: String) -> LiteralValue.Failure {
        LiteralValue.Failure(
            reason: "at character \(position + 1) it should have \(expected), but "
                + (next.map { "has \"\($0)\"" } ?? "ends")
        )
    }

    mutating func finish() throws(LiteralValue.Failure) {
        skipSpace()
        guard next == nil else { throw failure("its end") }
    }

    mutating func value(depth: Int) throws(LiteralValue.Failure) -> LiteralValue {
        guard depth < Self.maximumDepth else {
            throw LiteralValue.Failure(reason: "it nests more than \(Self.maximumDepth) levels deep")
        }
        skipSpace()
        switch next {
        case "{": return try dictionary(depth: depth)
        case "[": return .list(try list(until: "]", depth: depth))
        case "(": return .list(try list(until: ")", depth: depth))
        case "'", "\"": return .text(try text())
        default: return try word()
        }
    }

    private mutating func dictionary(depth: Int) throws(LiteralValue.Failure) -> LiteralValue {
        position += 1
        var values: [LiteralValue.Key: LiteralValue] = [:]
        while !take("}") {
            let key: LiteralValue.Key
            switch try value(depth: depth + 1) {
            case .text(let text): key = .text(text)
            case .integer(let number): key = .integer(number)
            default: throw failure("a text or a number as the key before this place")
            }
            guard take(":") else { throw failure("a colon") }
            values[key] = try value(depth: depth + 1)
            if take(",") { continue }
            guard take("}") else { throw failure("a comma or a brace") }
            break
        }
        return .dictionary(values)
    }

    private mutating func list(
        until end: Unicode.Scalar,
        depth: Int
    ) throws(LiteralValue.Failure) -> [LiteralValue] {
        position += 1
        var values: [LiteralValue] = []
        while !take(end) {
            values.append(try value(depth: depth + 1))
            if take(",") { continue }
            guard take(end) else { throw failure("a comma or a bracket") }
            break
        }
        return values
    }

    private mutating func text() throws(LiteralValue.Failure) -> String {
        let quote = next
        position += 1
        var text = String.UnicodeScalarView()
        while let character = next {
            position += 1
            if character == quote { return String(text) }
            text.append(character == "\\" ? try escaped() : character)
        }
        throw failure("a quotation mark")
    }

    /// The character behind a backslash.
    private mutating func escaped() throws(LiteralValue.Failure) -> Unicode.Scalar {
        guard let character = next else { throw failure("a character behind the backslash") }
        position += 1
        switch character {
        case "n": return "\n"
        case "t": return "\t"
        case "r": return "\r"
        case "x": return try hexadecimal(2)
        case "u": return try codeUnits()
        case "U": return try hexadecimal(8)
        default: return character
        }
    }

    /// The character of `\u` and four digits, or of two of these, as JSON writes characters beyond the first 65,536.
    private mutating func codeUnits() throws(LiteralValue.Failure) -> Unicode.Scalar {
        let first = try number(4)
        guard (0xD800..<0xDC00).contains(first), next == "\\" else { return try scalar(first) }
        position += 1
        guard next == "u" else { throw failure("the second half of a character") }
        position += 1
        let second = try number(4)
        guard (0xDC00..<0xE000).contains(second) else {
            throw failure("the second half of a character before this place")
        }
        return try scalar(0x10000 + (first - 0xD800) << 10 + (second - 0xDC00))
    }

    private mutating func hexadecimal(_ count: Int) throws(LiteralValue.Failure) -> Unicode.Scalar {
        try scalar(try number(count))
    }

    private mutating func number(_ count: Int) throws(LiteralValue.Failure) -> UInt32 {
        let digits = String(String.UnicodeScalarView(characters[position...].prefix(count)))
        guard digits.utf8.count == count, let number = UInt32(digits, radix: 16) else {
            throw failure("\(count) hexadecimal digits")
        }
        position += count
        return number
    }

    private func scalar(_ number: UInt32) throws(LiteralValue.Failure) -> Unicode.Scalar {
        guard let scalar = Unicode.Scalar(number) else { throw failure("a character before this place") }
        return scalar
    }

    /// A number or a constant.
    private mutating func word() throws(LiteralValue.Failure) -> LiteralValue {
        let start = position
        while let character = next,
            character.properties.isAlphabetic || "+-._0123456789".unicodeScalars.contains(character)
        {
            position += 1
        }
        guard position > start, position - start <= 64 else { throw failure("a value") }
        let word = String(String.UnicodeScalarView(characters[start..<position]))
        if let number = Int(word) { return .integer(number) }
        let constants = ["True", "False", "None", "true", "false", "null", "nan", "inf", "NaN", "Infinity"]
        guard constants.contains(word) || Double(word) != nil else {
            position = start
            throw failure("a value")
        }
        return .other(word)
    }
}
