/// The labels that `--allow` and `--deny` choose, in the model's spelling.
struct LabelChoice: Equatable {
    /// The only labels in results; nil for all labels.
    let allowed: Set<String>?
    /// The labels that never appear in results.
    let denied: Set<String>

    /// Finds the labels that the arguments mean.
    ///
    /// - Parameter names: the model's labels.
    /// - Throws: `InputError` if an argument means no label.
    init(allow: [String], deny: [String], among names: [String]) throws(InputError) {
        let table = LabelTable(names)
        func labels(_ arguments: [String], of option: String) throws(InputError) -> Set<String> {
            var labels: Set<String> = []
            for argument in arguments { labels.formUnion(try table.labels(argument, of: option)) }
            return labels
        }
        allowed = allow.isEmpty ? nil : try labels(allow, of: "--allow")
        denied = try labels(deny, of: "--deny")
    }
}
