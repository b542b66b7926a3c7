import Foundation
import Sightline

/// The labels of a model by name, and the label of a folder.
///
/// Outputs with the same name are a single label (ImageNet's lists have two `crane`s). A model without labels has
/// `class 0`, `class 1` and so on. A folder stands for, in this order,
///
/// 1. the label with exactly its name;
/// 2. the only label with its name apart from case and punctuation: `T-Shirt` and `t_shirt` are equal, because some
/// names cannot be names of folders;
/// 3. the only label with several comma-separated names, such as `tench, Tinca tinca`, that include the folder's name;
/// 4. for a model without labels, the number of an output;
/// 5. pictures without a label: `None of the above`, as AutoML calls it, or the model's own name for them, such as
/// `background`. For these pictures every answer is wrong.
struct LabelNames: Sendable {
    /// The meaning of a folder's name.
    enum Meaning: Sendable, Hashable {
        case label(Int)
        case nothing
        case unknown

        /// The label; nil for pictures without one.
        var label: Int? { if case .label(let label) = self { label } else { nil } }
    }

    /// The labels, in the order of their first outputs.
    let names: [String]
    /// The label of each output.
    private let labels: [Int]
    private let exact: [String: Int]
    private let folded: [String: Int?]
    private let synonyms: [String: Int?]
    private let nothing: Set<String>

    private static let noneOfTheAbove = "none of the above"

    init(_ labeler: ImageLabeler) {
        let classes = labeler.classes
        self.init(names: classes.names, count: classes.count, backgroundIndex: classes.backgroundIndex)
    }

    init(names given: [String], count: Int, backgroundIndex: Int?) {
        var (names, labels, exact): ([String], [Int], [String: Int]) = ([], [], [:])
        var (folded, synonyms): ([String: Int?], [String: Int?]) = ([:], [:])
        func note(_ key: String, _ label: Int, in table: inout [String: Int?]) {
            if let known = table[key], known != label { table[key] = .some(nil) } else { table[key] = label }
        }
        for output in 0..<count {
            let name = given.indices.contains(output) ? given[output] : "class \(output)"
            if let known = exact[name] {
                labels.append(known)
                continue
            }
            let label = names.count
            labels.append(label)
            names.append(name)
            exact[name] = label
            guard output != backgroundIndex else { continue }
            note(Self.fold(name), label, in: &folded)
            let parts = name.split(separator: ",")
            if parts.count > 1 { for part in parts { note(Self.fold(part), label, in: &synonyms) } }
            if given.isEmpty { note("\(output)", label, in: &synonyms) }
        }
        var nothing: Set<String> = [Self.noneOfTheAbove]
        if let backgroundIndex, given.indices.contains(backgroundIndex) {
            exact[given[backgroundIndex]] = nil
            nothing.insert(Self.fold(given[backgroundIndex]))
        }
        self.names = names
        self.labels = labels
        self.exact = exact
        self.folded = folded
        self.synonyms = synonyms
        self.nothing = nothing
    }

    /// The label of an output.
    subscript(output output: Int) -> Int? {
        labels.indices.contains(output) ? labels[output] : nil
    }

    /// The meaning of a folder's name.
    func meaning(of folder: String) -> Meaning {
        let name = folder.precomposedStringWithCanonicalMapping
        if let label = exact[name] ?? exact[folder] { return .label(label) }
        let key = Self.fold(name)
        if let label = folded[key] ?? nil { return .label(label) }
        if let label = synonyms[key] ?? nil { return .label(label) }
        return nothing.contains(key) ? .nothing : .unknown
    }

    /// Lower case, with a single space for everything that is neither a letter nor a digit. Names without letters and
    /// digits stay unchanged.
    private static func fold(_ name: some StringProtocol) -> String {
        let words = String(name).precomposedStringWithCanonicalMapping.lowercased()
            .split { !$0.isLetter && !$0.isNumber }
        return words.isEmpty ? String(name) : words.joined(separator: " ")
    }
}
