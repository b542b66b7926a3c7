import Foundation

/// The names of a model's classes, in the order of its outputs.
struct LabelList: Sendable, Hashable {
    /// The names in the order of their classes.
    let names: [String]
    /// The lines of a label file from which numbers were removed: if they alone fit the model, the numbers belong to the names.
    private let lines: [String]?
    /// Where the names come from, for messages: a file name or "metadata".
    let source: String

    /// A list of names.
    init(names: [String], lines: [String]? = nil, source: String) {
        self.names = names
        self.lines = lines
        self.source = source
    }

    /// Whether the first name stands for the background, as `background` in ImageNet lists and `???` in COCO lists.
    var startsWithBackground: Bool {
        guard let first = names.first?.lowercased() else { return false }
        return first == "background" || first == "???"
    }

    /// Aligns the names with a classifier's outputs.
    ///
    /// - Parameter classCount: the number of the classifier's outputs.
    /// - Returns: a table whose name of output 0 is nil where that output means "background".
    func aligned(toClassifierWith classCount: Int, model: String) throws(LocalModelError) -> ClassNames {
        switch names.count {
        case classCount:
            ClassNames(names: names, backgroundIndex: startsWithBackground ? 0 : nil)
        case classCount + 1 where startsWithBackground:
            // The list counts a background class that this model does not have.
            ClassNames(names: Array(names.dropFirst()), backgroundIndex: nil)
        default:
            try lines(for: classCount, model: model)
        }
    }

    /// Aligns the names with a detector's classes, which never count the background.
    ///
    /// - Parameter classCount: the number of classes that the detector tells apart; nil where the model does not give it.
    func aligned(toDetectorWith classCount: Int?, model: String) throws(LocalModelError) -> ClassNames {
        let classes = startsWithBackground ? Array(names.dropFirst()) : names
        guard let classCount, classes.count != classCount else {
            return ClassNames(names: classes, backgroundIndex: nil)
        }
        return try lines(for: classCount, model: model)
    }

    private func lines(for classCount: Int, model: String) throws(LocalModelError) -> ClassNames {
        guard let lines, lines.count == classCount else {
            throw .labelCount(model: model, source: source, labels: names.count, classes: classCount)
        }
        return ClassNames(names: lines, backgroundIndex: nil)
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
