/// An entry with which a hub records in its audit log that it removed the oldest entries of a group to make room.
///
/// Such an entry is part of the chain, so a gap without such an entry shows a deletion by a person.
package struct AuditRemoval: Sendable, Hashable {
    /// The entries that a hub counts together.
    package enum Group: String, Sendable, Hashable, CaseIterable {
        /// Those of keys, people and projects, which say who had which rights.
        case rights
        /// All others.
        case changes

        /// The group of the entries with an action.
        package init(action: String) {
            let area = action.prefix { $0 != "." }
            self = ["key", "person", "project"].contains(area) || action == Group.rights.action ? .rights : .changes
        }

        /// The action of the entries that record removals of the group.
        package var action: String { "audit.remove-\(rawValue)" }

        /// The smallest number of entries of the group that a hub keeps.
        package var leastKept: Int { self == .rights ? 100_000 : 250 }
    }

    package var group: Group
    /// The number of the last entry that was removed. No earlier entry of the group is left.
    package var last: Int
    /// The number of entries of the group that were removed since the beginning of the log.
    package var count: Int

    package init(group: Group, last: Int, count: Int) { (self.group, self.last, self.count) = (group, last, count) }

    /// The removal that an entry records; nil if it records none.
    package init?(_ entry: AuditLogResource.Entry) {
        guard let group = Group.allCases.first(where: { $0.action == entry.action }),
            let match = entry.detail.wholeMatch(of: /up to ([0-9]{1,15}), ([0-9]{1,15}) in all/),
            let last = Int(match.1), let count = Int(match.2), count <= last,
            // The entries that the hub kept lie between them.
            entry.number - last > group.leastKept
        else { return nil }
        self.init(group: group, last: last, count: count)
    }

    /// The detail of the entry.
    package var detail: String { "up to \(last), \(count) in all" }
}
