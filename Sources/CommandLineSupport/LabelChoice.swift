/// The labels that `--allow` and `--deny` choose, in the model's spelling.
package struct LabelChoice: Equatable {
    /// The only labels in results; nil for all labels.
    package let allowed: Set<String>?
    /// The labels that never appear in results.
    package let denied: Set<String>

    /// Finds the labels that the arguments mean.
    ///
    /// - Parameters:
    ///   - allow: the labels that may appear.
    ///   - deny: the labels that may not appear.
    ///   - names: the model's labels.
    ///   - prefix: the text before the names `allow` and `deny` in messages.
    /// - Throws: `InputError` if an argument means no label.
    package init(
        allow: [String],
        deny: [String],
        among names: [String],
        prefix: String = "--"
    ) throws(InputError) {
        let table = LabelTable(names)
        func labels(_ arguments: [String], of option: String) throws(InputError) -> Set<String> {
            var labels: Set<String> = []
            for argument in arguments { labels.formUnion(try table.labels(argument, of: option)) }
            return labels
        }
        allowed = allow.isEmpty ? nil : try labels(allow, of: "\(prefix)allow")
        denied = try labels(deny, of: "\(prefix)deny")
    }
}
