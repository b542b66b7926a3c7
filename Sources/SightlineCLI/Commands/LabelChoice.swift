import CommandLineSupport
import Foundation

/// The labels that `--allow` and `--deny` choose, in the model's spelling.
struct LabelChoice: Equatable {
    /// The only labels in results; nil for all labels.
    let allowed: Set<String>?
    /// The labels that never appear in results.
    let denied: Set<String>

    /// A message lists at most this many labels.
    private static let listedLabels = 12

    /// Finds the labels that the arguments mean, in upper or lower case. An argument may be a list with commas.
    ///
    /// - Parameter names: returns the model's labels; called only if there are arguments.
    /// - Throws: `InputError` if an argument means no label.
    init(allow: [String], deny: [String], among names: () throws -> [String]) throws {
        guard !allow.isEmpty || !deny.isEmpty else {
            (allowed, denied) = (nil, [])
            return
        }
        let names = try names()
        let table = Dictionary(grouping: names) { $0.lowercased() }
        func labels(_ arguments: [String], of option: String) throws(InputError) -> Set<String> {
            var labels: Set<String> = []
            for argument in arguments {
                if let found = table[argument.lowercased()] {
                    // Of labels that differ only in case, an exact match counts alone.
                    labels.formUnion(found.contains(argument) ? [argument] : found)
                    continue
                }
                // Labels of some models have commas, so a list is the second guess.
                let parts = argument.split(separator: ",").map(Self.trimmed)
                for part in parts.isEmpty ? [argument] : parts {
                    guard let found = table[part.lowercased()] else {
                        throw InputError(reason: Self.reason(option, part, names))
                    }
                    labels.formUnion(found.contains(part) ? [part] : found)
                }
            }
            return labels
        }
        allowed = allow.isEmpty ? nil : try labels(allow, of: "--allow")
        denied = try labels(deny, of: "--deny")
    }

    private static func trimmed(_ text: Substring) -> String { text.trimmingCharacters(in: .whitespaces) }

    private static func reason(_ option: String, _ label: String, _ names: [String]) -> String {
        guard !names.isEmpty else {
            return "\(option) \(label): the model has no labels; give them with --labels."
        }
        let near = Suggestion.nearest(to: label, among: names)
        let advice =
            if !near.isEmpty {
                "did you mean \(near.joined(separator: " or "))?"
            } else if names.count <= listedLabels {
                "it has \(names.joined(separator: ", "))."
            } else {
                "it has \(names.count) labels, such as \(names.prefix(listedLabels).joined(separator: ", "))."
            }
        return "\(option) \(label): the model has no such label; \(advice)"
    }
}
