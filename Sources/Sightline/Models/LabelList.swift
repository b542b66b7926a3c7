import Foundation

/// The names of a model's classes, in the order of its outputs.
struct LabelList: Sendable, Hashable {
    /// One name a line of the label file.
    let names: [String]
    /// Where the names come from, for messages: a file name or "metadata".
    let source: String

    /// A list of names.
    init(names: [String], source: String) {
        self.names = names
        self.source = source
    }

    /// Reads the text of a label file: one name a line, in UTF-8 or UTF-16 with a byte order mark.
    /// Each name may have its number before it.
    ///
    /// Windows line ends, a byte order mark and blank lines at the end are tolerated. A blank line between names keeps
    /// its place, since names are found by line number.
    init(parsing data: Data, source: String) throws(LocalModelError) {
        guard let text = Self.decode(data) else {
            throw .labels(source: source, reason: "it is not UTF-8 text (or UTF-16 with a byte order mark)")
        }
        guard !text.contains("\0") else {
            throw .labels(source: source, reason: "it holds binary data, not one name a line")
        }
        var lines = text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline).map(Self.trimmed)
        while lines.last?.isEmpty == true { lines.removeLast() }
        guard !lines.isEmpty else { throw .labels(source: source, reason: "it holds no names") }
        self.init(names: Self.numbered(lines) ?? lines, source: source)
    }

    /// A line without the white space around it. Foundation's trimming takes longer than all else that reads a list.
    private static func trimmed(_ line: Substring) -> String {
        var line = line.drop(while: \.isWhitespace)
        while line.last?.isWhitespace == true { line.removeLast() }
        return String(line)
    }

    /// The largest number before a name.
    private static let maximumNumber = 100_000

    /// The names of lines that all begin with a number and spaces, as in the files of Teachable Machine and Coral: numbers from 0
    /// on in rising order, where gaps are classes without names; nil for other lines.
    private static func numbered(_ lines: [String]) -> [String]? {
        var names: [String] = []
        for line in lines {
            let digits = line.prefix { $0.isASCII && $0.isNumber }
            let name = line.dropFirst(digits.count)
            guard let number = Int(digits), number >= names.count, number <= maximumNumber,
                number == 0 || !names.isEmpty, name.first == " " || name.first == "\t"
            else { return nil }
            names += [String](repeating: "", count: number - names.count)
            names.append(name.trimmingCharacters(in: .whitespaces))
        }
        return names
    }

    private static func decode(_ data: Data) -> String? {
        if data.starts(with: [0xFF, 0xFE]) || data.starts(with: [0xFE, 0xFF]) {
            return String(data: data, encoding: .utf16)
        }
        let body = data.starts(with: [0xEF, 0xBB, 0xBF]) ? data.dropFirst(3) : data
        return String(data: body, encoding: .utf8)
    }

    /// Whether the first name stands for the background, as `background` in ImageNet lists and `???` in COCO lists.
    var startsWithBackground: Bool {
        guard let first = names.first?.lowercased() else { return false }
        return first == "background" || first == "???"
    }

    /// Aligns the names with a classifier's outputs.
    ///
    /// - Parameter classCount: how many outputs the classifier has.
    /// - Returns: a table whose name of output 0 is nil where that output means "background".
    func aligned(toClassifierWith classCount: Int, model: String) throws(LocalModelError) -> ClassNames {
        switch names.count {
        case classCount:
            ClassNames(names: names, backgroundIndex: startsWithBackground ? 0 : nil)
        case classCount + 1 where startsWithBackground:
            // The list counts a background class that this model does not have.
            ClassNames(names: Array(names.dropFirst()), backgroundIndex: nil)
        default:
            throw .labelCount(model: model, source: source, labels: names.count, classes: classCount)
        }
    }

    /// Aligns the names with a detector's classes, which never count the background.
    ///
    /// - Parameter classCount: how many classes the detector tells apart; nil where the model does not give it.
    func aligned(toDetectorWith classCount: Int?, model: String) throws(LocalModelError) -> ClassNames {
        let classes = startsWithBackground ? Array(names.dropFirst()) : names
        guard let classCount, classes.count != classCount else {
            return ClassNames(names: classes, backgroundIndex: nil)
        }
        throw .labelCount(model: model, source: source, labels: names.count, classes: classCount)
    }
}

/// The names of a model's classes by output index.
struct ClassNames: Sendable, Hashable {
    let names: [String]
    /// The output for pictures of no class; it is never reported.
    let backgroundIndex: Int?

    /// The names of a model without labels.
    static let none = ClassNames(names: [], backgroundIndex: nil)

    /// The same names, with the last one as the background.
    var hidingLast: ClassNames { ClassNames(names: names, backgroundIndex: names.indices.last) }

    /// The names that can be reported.
    var reported: [String] { names.indices.filter { $0 != backgroundIndex }.map { names[$0] } }

    /// The name of a class; empty if the model has no labels.
    subscript(index: Int) -> String {
        names.indices.contains(index) ? names[index] : ""
    }
}
