extension ModelInspection {
    /// The number of names on each side of a sentence about other labels.
    private static let namedLabels = 3

    /// A sentence about the labels that go and come if one version of a model takes the place of another; nil if the labels are the same,
    /// or those of a version are unknown.
    ///
    /// - Parameters:
    ///   - old: the version that was served.
    ///   - new: the version that takes its place.
    package static func labelChange(from old: ModelInspection?, to new: ModelInspection?) -> String? {
        guard let old, let new, old.labels != nil || new.labels != nil else { return nil }
        let (before, after) = (old.labels?.first ?? [], new.labels?.first ?? [])
        let counts = (old: old.labels?.count ?? 0, new: new.labels?.count ?? 0)
        guard counts.old != counts.new || before != after else { return nil }
        // A long list is cut in the description of a model, so that a name that is missing there may be in the file.
        let gone = after.count == counts.new ? named(before, lackingIn: after, of: counts.old) : nil
        let come = before.count == counts.old ? named(after, lackingIn: before, of: counts.new) : nil
        if counts.old == counts.new, gone == nil, come == nil {
            return "The labels differ: their order or names are others, as apps that know labels by number notice."
        }
        let parts = [gone.map { "gone: \($0)" }, come.map { "new: \($0)" }].compactMap(\.self)
        return (["The labels differ: \(counts.old) → \(counts.new)"] + parts).joined(separator: "; ") + "."
    }

    /// The first labels that another list lacks, and the number of the others; nil if it lacks none.
    private static func named(_ labels: [String], lackingIn others: [String], of count: Int) -> String? {
        let known = Set(others)
        let missing = labels.filter { !known.contains($0) }
        guard !missing.isEmpty else { return nil }
        let names = missing.prefix(namedLabels).joined(separator: ", ")
        // The labels that the description leaves out may be among them, so that their number is open.
        guard labels.count == count else { return "\(names) and others" }
        let rest = missing.count - namedLabels
        return rest > 0 ? "\(names) and \(rest) more" : names
    }
}
