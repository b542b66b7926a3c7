import ArgumentParser
import CommandLineSupport
import Foundation

/// The labels that `--allow` and `--deny` choose, as the model writes them.
struct LabelChoice: Equatable {
    /// Only these; nil for all.
    let allowed: Set<String>?
    /// Never these.
    let denied: Set<String>

    /// More labels than this are not listed in a message.
    private static let listedLabels = 12

    /// Finds the labels that the arguments mean. Case does not count, and an argument may be a list with commas.
    ///
    /// - Parameter names: the model's labels; asked for only if there are arguments.
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
                    // Names that differ in case alone are told apart by an exact one.
                    labels.formUnion(found.contains(argument) ? [argument] : found)
                    continue
                }
                // Some models have commas in their labels, so that a list is the second guess.
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

extension LabelChoice {
    /// Finds the labels that the arguments mean; what is wrong with them is said on standard error.
    ///
    /// - Throws: an exit code after saying why.
    static func reporting(allow: [String], deny: [String], among names: () throws -> [String]) throws -> LabelChoice {
        try reporting(as: .usage) { try LabelChoice(allow: allow, deny: deny, among: names) }
    }
}
