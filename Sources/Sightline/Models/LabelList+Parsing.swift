import Foundation

/// The forms of label files: a name a line, with its number before it or not; a label map of TensorFlow's object detection API; a
/// dictionary or a list in JSON.
extension LabelList {
    /// Reads a label file.
    init(contentsOf file: URL) throws(LocalModelError) {
        let data: Data
        do {
            data = try ModelText.content(of: file)
        } catch {
            throw .labels(source: file.path, reason: error.summary)
        }
        try self.init(parsing: data, source: file.lastPathComponent)
    }

    /// Reads the text of a label file, in UTF-8 or UTF-16 with a byte order mark.
    ///
    /// Windows line ends, a byte order mark and blank lines at the end are tolerated. A blank line between names keeps its place,
    /// since names without numbers are found by line number.
    init(parsing data: Data, source: String) throws(LocalModelError) {
        do {
            _ = try ModelText.checked(data)
        } catch {
            throw .labels(source: source, reason: error.description)
        }
        guard let text = Self.decode(data) else {
            throw .labels(source: source, reason: "it is not UTF-8 text (or UTF-16 with a byte order mark)")
        }
        guard !text.contains("\0") else {
            throw .labels(source: source, reason: "it holds binary data, not one name a line")
        }
        if let first = text.first(where: { !$0.isWhitespace }), "{[".contains(first),
            let value = try? LiteralValue(parsing: text)
        {
            try self.init(literal: value, source: source)
            return
        }
        if let entries = LabelMapText.entries(in: text) {
            guard let names = try Self.names(entries, source: source) else {
                throw .labels(source: source, reason: "its items have no id from 1 on, or no name")
            }
            self.init(names: names, source: source)
            return
        }
        // The last line may have an end, too, and a first line may name columns.
        let parts = text.split(
            maxSplits: Self.maximumNames + 2,
            omittingEmptySubsequences: false,
            whereSeparator: \.isNewline
        )
        guard parts.count <= Self.maximumNames + 2 else {
            throw .labels(
                source: source,
                reason: "it has more than \(Self.maximumNames) lines, the largest number of names"
            )
        }
        var lines = parts.map(Self.trimmed)
        while lines.last?.isEmpty == true { lines.removeLast() }
        guard !lines.isEmpty else { throw .labels(source: source, reason: "it holds no names") }
        if let names = try Self.numbered(lines, source: source) {
            self.init(names: names, lines: lines, source: source)
        } else {
            self.init(names: Self.withoutWordNet(lines), source: source)
        }
    }

    private static func decode(_ data: Data) -> String? {
        if data.starts(with: [0xFF, 0xFE]) || data.starts(with: [0xFE, 0xFF]) {
            return String(data: data, encoding: .utf16)
        }
        let body = data.starts(with: [0xEF, 0xBB, 0xBF]) ? data.dropFirst(3) : data
        return String(data: body, encoding: .utf8)
    }

    /// A line without the white space around it. Foundation's trimming takes longer than all else that reads a list.
    private static func trimmed(_ line: Substring) -> String {
        var line = line.drop(while: \.isWhitespace)
        while line.last?.isWhitespace == true { line.removeLast() }
        return String(line)
    }

    // MARK: - Numbers

    /// The largest number before a name.
    private static let maximumNumber = 100_000

    /// A line with the number of its class.
    private struct NumberedLine {
        let number: Int
        /// The character behind the number; a space also for a tab, which is white space, too.
        let separator: Character
        let name: String

        /// Reads `0 red`, `0: red`, `0:red`, `0,red`, `0. red` and the like; nil for other lines.
        init?(_ line: String) {
            let digits = line.prefix { $0.isASCII && $0.isNumber }
            var rest = line.dropFirst(digits.count)
            guard let number = Int(digits), number <= LabelList.maximumNumber, let first = rest.first else {
                return nil
            }
            switch first {
            case " ", "\t": separator = rest.contains("\t") ? "\t" : " "
            case ":", ",", ";", "=": separator = first
            case ".", ")":
                guard rest.dropFirst().first == " " else { return nil }
                separator = first
            default: return nil
            }
            if first != " ", first != "\t" { rest.removeFirst() }
            var name = LabelList.trimmed(rest)
            if name.count > 1, name.hasPrefix("\""), name.hasSuffix("\"") { name = String(name.dropFirst().dropLast()) }
            (self.number, self.name) = (number, name)
        }
    }

    /// The names of lines that all begin with their number, as in the files of TF-Slim, Teachable Machine and Coral; nil for other
    /// lines.
    private static func numbered(_ lines: [String], source: String) throws(LocalModelError) -> [String]? {
        // Tables begin with the names of their columns.
        let isTable = ["id,", "index,", "class,", "class_id,", "number,"].contains {
            lines[0].lowercased().hasPrefix($0)
        }
        let texts = (isTable ? lines.dropFirst() : lines[...]).filter { !$0.isEmpty }
        let entries = texts.compactMap(NumberedLine.init)
        guard entries.count == texts.count, let separator = entries.first?.separator,
            entries.allSatisfy({ $0.separator == separator })
        else { return nil }
        // "4:3" and "16:9" are names themselves.
        let areInOrder = entries.map(\.number) == Array(0..<entries.count)
        guard areInOrder || entries.count(where: { $0.name.contains(where: \.isLetter) }) * 2 >= entries.count else {
            return nil
        }
        if separator == " " {
            // "1 cent" and "2 cent" count, and so may a number that comes twice.
            let names = Set(entries.map(\.name))
            guard names.count * 2 > entries.count, Set(entries.map(\.number)).count == entries.count,
                !names.contains("")
            else { return nil }
        }
        return try Self.names(entries.map { ($0.number, $0.name) }, source: source)
    }

    /// The names in the order of their numbers, which begin with 0 or 1; nil for other numbers. Numbers may be left out: such classes
    /// have no names. Lists that begin with 1 leave 0 to the background.
    private static func names(
        _ entries: [(number: Int, name: String)],
        source: String
    ) throws(LocalModelError) -> [String]? {
        guard let first = entries.map(\.number).min(), (0...1).contains(first),
            let last = entries.map(\.number).max(), last <= maximumNumber
        else { return nil }
        var names = [String?](repeating: nil, count: last + 1)
        for entry in entries {
            if let other = names[entry.number] {
                throw .labels(
                    source: source,
                    reason:
                        "the number \(entry.number) has two names, \"\(other.prefix(100))\" and \"\(entry.name.prefix(100))\""
                )
            }
            names[entry.number] = entry.name
        }
        if first == 1 { names[0] = "???" }
        return names.map { $0 ?? "" }
    }

    /// The lines without the numbers of WordNet's meanings, as in `n01440764 tench`, if all lines have one.
    private static func withoutWordNet(_ lines: [String]) -> [String] {
        let names = lines.compactMap { line -> String? in
            guard line.hasPrefix("n"), line.dropFirst().prefix(8).count(where: { $0.isASCII && $0.isNumber }) == 8,
                let separator = line.dropFirst(9).first, " \t,:".contains(separator)
            else { return nil }
            let name = trimmed(line.dropFirst(10))
            return name.isEmpty ? nil : name
        }
        return names.count == lines.count ? names : lines
    }

    // MARK: - JSON

    /// Reads names by number, `{"0": "red"}`, numbers by name, `{"red": 0}`, or a list of names.
    private init(literal value: LiteralValue, source: String) throws(LocalModelError) {
        let entries: [(number: Int?, name: String?)] =
            switch value {
            case .dictionary(let fields):
                fields.map { key, value in
                    if case .text(let name) = key, case .integer(let number) = value { return (number, name) }
                    return (Self.number(key), value.name)
                }
            case .list(let values): values.enumerated().map { ($0.offset, $0.element.name) }
            default: []
            }
        var pairs: [(number: Int, name: String)] = []
        for case (let number?, let name?) in entries { pairs.append((number, name)) }
        guard !pairs.isEmpty, pairs.count == entries.count, let names = try Self.names(pairs, source: source) else {
            throw .labels(
                source: source,
                reason: "it is JSON, but neither a list of names nor names by number from 0 on"
            )
        }
        self.init(names: names, source: source)
    }
}

extension LiteralValue {
    /// The name that a value gives: a text, or the last text of a list, as in ImageNet's `["n01440764", "tench"]`.
    fileprivate var name: String? {
        switch self {
        case .text(let text): text
        case .list(let values): if case .text(let text)? = values.last { text } else { nil }
        default: nil
        }
    }
}
