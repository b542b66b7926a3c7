import Foundation
import Sightline

/// The labels of a model by name, and which of them the name of a folder means.
///
/// Outputs of one name are one label (ImageNet's lists have two `crane`s). A model without labels has `class 0`, `class 1` and so
/// on. A folder means, in this order,
///
/// 1. the label that is called exactly so;
/// 2. the only label that is called so but for case, and for signs that are neither letters nor digits: `T-Shirt` and `t_shirt`
///    are one name, since not every name can be a folder's;
/// 3. the only label of several names with commas between, as in `tench, Tinca tinca`, of which one is the folder's;
/// 4. for a model without labels, the number of an output;
/// 5. nothing that the model knows: `None of the above`, as AutoML calls it, or the model's own name for that, as
///    `background`. On its pictures every answer is wrong.
struct LabelNames: Sendable {
    /// What a folder's name means.
    enum Meaning: Sendable, Hashable {
        case label(Int)
        case nothing
        case unknown
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

    /// What the name of a folder means.
    func meaning(of folder: String) -> Meaning {
        let name = folder.precomposedStringWithCanonicalMapping
        if let label = exact[name] ?? exact[folder] { return .label(label) }
        let key = Self.fold(name)
        if let label = folded[key] ?? nil { return .label(label) }
        if let label = synonyms[key] ?? nil { return .label(label) }
        return nothing.contains(key) ? .nothing : .unknown
    }

    /// Lower case, with one space for all that is neither letter nor digit; a name of other signs alone stays as it is.
    private static func fold(_ name: some StringProtocol) -> String {
        let words = String(name).precomposedStringWithCanonicalMapping.lowercased()
            .split { !$0.isLetter && !$0.isNumber }
        return words.isEmpty ? String(name) : words.joined(separator: " ")
    }
}
