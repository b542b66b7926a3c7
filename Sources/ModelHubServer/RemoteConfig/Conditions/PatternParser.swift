/// The tree of a regular expression.
indirect enum PatternNode: Sendable {
    case empty
    case set(ScalarSet)
    case assertion(PatternAssertion)
    case sequence([PatternNode])
    case choice([PatternNode])
    /// Without a maximum, any number.
    case repeated(PatternNode, least: Int, most: Int?)
}

/// Parses the syntax of RE2 by recursive descent. Nesting is bounded.
///
/// Source: "Syntax" in RE2's documentation. `\p`, `\C` and `\Q` are not supported.
struct PatternParser {
    private struct Flags {
        var ignoresCase = false
        var isMultiline = false
        var dotMatchesNewline = false
    }

    private let scalars: [Unicode.Scalar]
    private var position = 0
    private var flags = Flags()

    private static let maximumDepth = 50
    /// The maximum number in braces, as in RE2.
    private static let maximumCount = 1000

    init(_ text: String) { scalars = Array(text.unicodeScalars) }

    mutating func whole() throws(PatternFailure) -> PatternNode {
        let node = try choice(depth: 0)
        guard position >= scalars.count else { throw failure("unexpected )") }
        return node
    }

    private var current: Unicode.Scalar? { position < scalars.count ? scalars[position] : nil }

    private func failure(_ reason: String) -> PatternFailure {
        PatternFailure(reason: "\(reason) at character \(min(position, scalars.count) + 1)")
    }

    private mutating func takes(_ text: StaticString) -> Bool {
        let wanted = Array(text.description.unicodeScalars)
        guard scalars[position...].starts(with: wanted) else { return false }
        position += wanted.count
        return true
    }

    private mutating func choice(depth: Int) throws(PatternFailure) -> PatternNode {
        guard depth <= Self.maximumDepth else { throw failure("parentheses nest deeper than \(Self.maximumDepth)") }
        // Flags apply until the end of their group.
        let outer = flags
        defer { flags = outer }
        var nodes = [try sequence(depth: depth)]
        while takes("|") { nodes.append(try sequence(depth: depth)) }
        return nodes.count == 1 ? nodes[0] : .choice(nodes)
    }

    private mutating func sequence(depth: Int) throws(PatternFailure) -> PatternNode {
        var nodes: [PatternNode] = []
        while let scalar = current, scalar != "|", scalar != ")" {
            if let node = try item(depth: depth) { nodes.append(try repetition(of: node)) }
        }
        return nodes.isEmpty ? .empty : .sequence(nodes)
    }

    /// An element without its repetition; nil for flags.
    private mutating func item(depth: Int) throws(PatternFailure) -> PatternNode? {
        guard let scalar = current else { return nil }
        switch scalar {
        case "*", "+", "?": throw failure("nothing before \(scalar) to repeat")
        case "{":
            let start = position
            guard try count() == nil else {
                position = start
                throw failure("nothing before { to repeat")
            }
            position += 1
            return literal(scalar)
        case "(": return try group(depth: depth)
        case "[": return .set(try characterClass())
        case ".":
            position += 1
            return .set(flags.dotMatchesNewline ? .any : .anyButNewline)
        case "^":
            position += 1
            return .assertion(flags.isMultiline ? .lineStart : .textStart)
        case "$":
            position += 1
            return .assertion(flags.isMultiline ? .lineEnd : .textEnd)
        case "\\": return try escape()
        default:
            position += 1
            return literal(scalar)
        }
    }

    private func literal(_ scalar: Unicode.Scalar) -> PatternNode {
        .set(ScalarSet([scalar.value...scalar.value], ignoresCase: flags.ignoresCase))
    }

    // MARK: - Groups and repetitions

    private mutating func group(depth: Int) throws(PatternFailure) -> PatternNode? {
        position += 1
        var inner = flags
        if takes("?") {
            if takes("P<") || takes("<") {
                guard current != "=", current != "!" else { throw failure("looking back is not supported") }
                while let scalar = current, scalar.isWord { position += 1 }
                guard takes(">") else { throw failure("the name of a group has no end") }
            } else if try takesFlags(into: &inner) {
                flags = inner
                return nil
            }
        }
        let outer = flags
        flags = inner
        let node = try choice(depth: depth + 1)
        flags = outer
        guard takes(")") else { throw failure("a parenthesis is not closed") }
        return node
    }

    /// Takes flags and the sign after them: a parenthesis if they apply to the rest of the group outside, which returns
    /// true, or a colon if they apply to this group.
    private mutating func takesFlags(into flags: inout Flags) throws(PatternFailure) -> Bool {
        var isOn = true
        while let scalar = current {
            position += 1
            switch scalar {
            case "i": flags.ignoresCase = isOn
            case "m": flags.isMultiline = isOn
            case "s": flags.dotMatchesNewline = isOn
            // Greediness does not change whether there is a match.
            case "U": break
            case "-": isOn = false
            case ":": return false
            case ")": return true
            default: throw failure("(?\(scalar) is not supported")
            }
        }
        throw failure("a parenthesis is not closed")
    }

    private mutating func repetition(of node: PatternNode) throws(PatternFailure) -> PatternNode {
        guard let (least, most) = try count() else { return node }
        // A question mark asks for the shortest match, which does not change whether there is a match.
        _ = takes("?")
        let start = position
        if try count() != nil {
            position = start
            throw failure("a repetition is repeated")
        }
        return .repeated(node, least: least, most: most)
    }

    /// Takes the count of a repetition. Braces without a count are ordinary characters.
    private mutating func count() throws(PatternFailure) -> (least: Int, most: Int?)? {
        if takes("*") { return (0, nil) }
        if takes("+") { return (1, nil) }
        if takes("?") { return (0, 1) }
        let start = position
        guard takes("{"), let least = number() else {
            position = start
            return nil
        }
        var most: Int? = least
        if takes(",") { most = number() }
        guard takes("}") else {
            position = start
            return nil
        }
        guard least <= Self.maximumCount, (most ?? 0) <= Self.maximumCount, least <= most ?? least else {
            position = start
            throw failure("a repetition counts up to \(Self.maximumCount), from the smaller to the larger number")
        }
        return (least, most)
    }

    private mutating func number() -> Int? {
        let digits = scalars[position...].prefix { (48...57).contains($0.value) }
        guard (1...6).contains(digits.count) else { return nil }
        position = digits.endIndex
        return digits.reduce(0) { $0 * 10 + Int($1.value - 48) }
    }

    // MARK: - Sets

    private mutating func characterClass() throws(PatternFailure) -> ScalarSet {
        position += 1
        let isNegated = takes("^")
        var ranges: [ClosedRange<UInt32>] = []
        var isFirst = true
        while isFirst || current != "]" {
            isFirst = false
            if takes("[:") {
                ranges += try namedClass().plainRanges
                continue
            }
            if let known = takesPerlClass() {
                ranges += known.plainRanges
                continue
            }
            let lower = try classScalar()
            guard current == "-", position + 1 < scalars.count, scalars[position + 1] != "]" else {
                ranges.append(lower...lower)
                continue
            }
            position += 1
            let upper = try classScalar()
            guard lower <= upper else { throw failure("a range ends before it begins") }
            ranges.append(lower...upper)
        }
        position += 1
        return ScalarSet(ranges, isNegated: isNegated, ignoresCase: flags.ignoresCase)
    }

    private mutating func classScalar() throws(PatternFailure) -> UInt32 {
        guard let scalar = current else { throw failure("a bracket is not closed") }
        guard scalar == "\\" else {
            position += 1
            return scalar.value
        }
        position += 1
        return try escapedScalar().value
    }

    private mutating func namedClass() throws(PatternFailure) -> ScalarSet {
        let start = position
        let isNegated = takes("^")
        for (name, ranges) in Self.namedClasses where scalars[position...].starts(with: "\(name):]".unicodeScalars) {
            position += name.count + 2
            return ScalarSet(ranges, isNegated: isNegated)
        }
        position = start
        throw failure("[: is not followed by the name of a class such as [:alpha:]")
    }

    /// The classes of POSIX, for ASCII as in RE2.
    private static let namedClasses: [(name: String, ranges: [ClosedRange<UInt32>])] = [
        ("alnum", [48...57, 65...90, 97...122]), ("alpha", [65...90, 97...122]), ("ascii", [0...127]),
        ("blank", [9...9, 32...32]), ("cntrl", [0...31, 127...127]), ("digit", [48...57]), ("graph", [33...126]),
        ("lower", [97...122]), ("print", [32...126]), ("punct", [33...47, 58...64, 91...96, 123...126]),
        ("space", [9...13, 32...32]), ("upper", [65...90]), ("word", ScalarSet.word.ranges),
        ("xdigit", [48...57, 65...70, 97...102]),
    ]

    private mutating func takesPerlClass() -> ScalarSet? {
        if takes("\\d") { return .digit }
        if takes("\\w") { return .word }
        if takes("\\s") { return .space }
        if takes("\\D") { return ScalarSet(ScalarSet.digit.ranges, isNegated: true) }
        if takes("\\W") { return ScalarSet(ScalarSet.word.ranges, isNegated: true) }
        if takes("\\S") { return ScalarSet(ScalarSet.space.ranges, isNegated: true) }
        return nil
    }

    // MARK: - Escapes

    private mutating func escape() throws(PatternFailure) -> PatternNode {
        if let set = takesPerlClass() { return .set(set) }
        if takes("\\b") { return .assertion(.wordBoundary) }
        if takes("\\B") { return .assertion(.noWordBoundary) }
        if takes("\\A") { return .assertion(.textStart) }
        if takes("\\z") { return .assertion(.textEnd) }
        position += 1
        return literal(try escapedScalar())
    }

    /// The scalar after a backslash.
    private mutating func escapedScalar() throws(PatternFailure) -> Unicode.Scalar {
        guard let scalar = current else { throw failure("nothing follows the backslash") }
        position += 1
        switch scalar {
        case "a": return "\u{07}"
        case "f": return "\u{0C}"
        case "n": return "\n"
        case "r": return "\r"
        case "t": return "\t"
        case "v": return "\u{0B}"
        case "x": return try hexadecimalScalar()
        default:
            guard scalar.isASCII, scalar == "_" || !scalar.isWord else {
                position -= 1
                throw failure("\\\(scalar) is not supported")
            }
            return scalar
        }
    }

    private mutating func hexadecimalScalar() throws(PatternFailure) -> Unicode.Scalar {
        let isLong = takes("{")
        let digits = scalars[position...].prefix { $0.properties.isASCIIHexDigit }.prefix(isLong ? 6 : 2)
        position = digits.endIndex
        guard isLong ? takes("}") : digits.count == 2,
            let value = UInt32(String(String.UnicodeScalarView(digits)), radix: 16),
            let scalar = Unicode.Scalar(value)
        else { throw failure("\\x is not followed by two digits, or by a code point such as {1F600}") }
        return scalar
    }
}

extension Unicode.Scalar {
    /// Whether this is a letter, a digit or an underscore of ASCII.
    fileprivate var isWord: Bool { ScalarSet.word.contains([self]) }
}
