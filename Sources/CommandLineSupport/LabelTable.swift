import Foundation
internal import Sightline

/// Finds the labels of a model that the words of a command line or a request mean, in upper or lower case.
package struct LabelTable {
    private let names: [String]
    private let byLowercase: [String: [String]]

    /// A message lists at most this many labels.
    private static let listedLabels = 12

    /// - Parameter names: the model's labels.
    package init(_ names: [String]) {
        self.names = names
        byLowercase = Dictionary(grouping: names) { $0.lowercased() }
    }

    /// The labels that an argument means, in the model's spelling. An argument may be a list with commas.
    ///
    /// - Parameter option: the option that has the argument, for messages.
    /// - Throws: `InputError` if the argument means no label.
    package func labels(_ argument: String, of option: String) throws(InputError) -> Set<String> {
        if let found = found(argument) { return found }
        // Labels of some models have commas, so a list is the second guess.
        let parts = argument.split(separator: ",").map { $0.trimmingCharacters(in: .whitespaces) }
        var labels: Set<String> = []
        for part in parts.isEmpty ? [argument] : parts {
            guard let found = found(part) else { throw InputError(reason: reason(option, part)) }
            labels.formUnion(found)
        }
        return labels
    }

    private func found(_ name: String) -> Set<String>? {
        // If labels differ only in case, only an exact match counts.
        byLowercase[name.lowercased()].map { $0.contains(name) ? [name] : Set($0) }
    }

    private func reason(_ option: String, _ label: String) -> String {
        guard !names.isEmpty else {
            return "\(option) \(label): the model has no labels; give them with --labels."
        }
        let near = Suggestion.nearest(to: label, among: names)
        let advice =
            if !near.isEmpty {
                "did you mean \(near.joined(separator: " or "))?"
            } else if names.count <= Self.listedLabels {
                "it has \(names.joined(separator: ", "))."
            } else {
                "it has \(names.count) labels, such as \(names.prefix(Self.listedLabels).joined(separator: ", "))."
            }
        return "\(option) \(label): the model has no such label; \(advice)"
    }
}
