/// Chooses objects by their names, where only a name identifies an object.
struct WantedNames: Sendable {
    private let filter: LabelFilter
    /// The allowed kinds of each group that is not allowed itself, by the group's name.
    private let groupsOfAllowed: Set<String>

    /// - Returns: nil if the choice permits all names.
    init?(_ choice: GroupedChoice) {
        guard choice.allowed != nil || !choice.denied.isEmpty else { return nil }
        filter = LabelFilter(
            thresholds: ClassThresholds(0),
            allowed: choice.allowed,
            denied: choice.denied,
            maximumCount: .max
        )
        groupsOfAllowed = choice.groupsOfAllowed
    }

    /// The labels that the options permit; nil if the object is not wanted.
    func permitted(_ labels: [Label]) -> [Label]? {
        if let best = labels.first, filter.denied.contains(best.text) { return nil }
        let permitted = labels.filter { filter.permits($0.text) }
        return permitted.isEmpty && filter.allowed != nil ? nil : permitted
    }

    /// Whether an object that is not wanted could be of an allowed kind: it has no name, or only that of a group with such a kind.
    func isUnnamed(_ labels: [Label]) -> Bool {
        guard filter.allowed != nil, permitted(labels) == nil else { return false }
        guard let best = labels.first else { return true }
        return !filter.denied.contains(best.text) && groupsOfAllowed.contains(best.text)
    }
}

/// The allowed and denied names of a detector's options, in which a group also stands for its kinds.
///
/// A kind that is named explicitly takes precedence over its group: `animal` without `cat`, or no `animal` but `cat`.
struct GroupedChoice: Sendable {
    /// The only names; nil for all.
    let allowed: Set<String>?
    /// The names that never appear.
    let denied: Set<String>
    /// The groups that are not allowed themselves, but have an allowed kind.
    let groupsOfAllowed: Set<String>

    init(_ options: ObjectDetectorOptions, groups: [ClassGroup] = [], names: ClassNames = .none) {
        func kinds(_ group: ClassGroup) -> Set<String> { Set(group.classes.map { names[$0] }) }
        func kinds(ofGroupsIn chosen: Set<String>) -> Set<String> {
            groups.filter { chosen.contains($0.name) }.reduce(into: []) { $0.formUnion(kinds($1)) }
        }
        let (named, unwanted) = (options.allowedLabels, options.deniedLabels)
        let allowed = named.map { $0.union(kinds(ofGroupsIn: $0)) }
        self.allowed = allowed
        denied = unwanted.union(kinds(ofGroupsIn: unwanted).subtracting(named ?? []))
        groupsOfAllowed = Set(
            groups.filter { !(allowed?.contains($0.name) ?? true) && !kinds($0).isDisjoint(with: allowed ?? []) }
                .map(\.name)
        )
    }
}
