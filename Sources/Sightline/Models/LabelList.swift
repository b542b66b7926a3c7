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
        var lines = text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline).map {
            $0.trimmingCharacters(in: .whitespaces)
        }
        while lines.last?.isEmpty == true { lines.removeLast() }
        guard !lines.isEmpty else { throw .labels(source: source, reason: "it holds no names") }
        self.init(names: lines, source: source)
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

    /// The same names, with the given name as the background.
    func hiding(_ name: String) -> ClassNames {
        ClassNames(names: names, backgroundIndex: names.firstIndex(of: name))
    }

    /// The names that can be reported.
    var reported: [String] { names.indices.filter { $0 != backgroundIndex }.map { names[$0] } }

    /// The name of a class; empty if the model has no labels.
    subscript(index: Int) -> String {
        names.indices.contains(index) ? names[index] : ""
    }
}
