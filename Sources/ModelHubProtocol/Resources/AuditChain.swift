/// A check of the entries of an audit log, which are added in the order of their numbers.
///
/// The check finds entries that were altered, exchanged, or deleted behind others. It cannot find that the newest entries are missing:
/// only a copy elsewhere shows that.
package struct AuditChain: Sendable {
    /// The contradictions among the added entries, a few words each.
    package private(set) var contradictions: [String] = []
    /// The numbers that are missing between the added entries.
    package private(set) var gaps: [ClosedRange<Int>] = []
    /// The last added entry.
    package private(set) var last: AuditLogResource.Entry?
    /// The number of the first added entry.
    package private(set) var first: Int?
    /// The last removal of each group.
    package private(set) var removals: [AuditRemoval.Group: AuditRemoval] = [:]
    /// The number of the first entry of each group.
    private var firstOfGroup: [AuditRemoval.Group: Int] = [:]

    package init() {}

    /// Adds the next entry.
    package mutating func add(_ entry: AuditLogResource.Entry) {
        if entry.hash != entry.contentHash {
            contradictions.append("change \(entry.number) was altered after it was written")
        } else if let removal = AuditRemoval(entry) {
            removals[removal.group] = removal
        }
        let group = AuditRemoval.Group(action: entry.action)
        firstOfGroup[group] = firstOfGroup[group] ?? entry.number
        if let last {
            if entry.project != last.project {
                contradictions.append("change \(entry.number) is of another project, \(entry.project)")
            } else if entry.number <= last.number {
                contradictions.append("change \(entry.number) comes after change \(last.number)")
            } else if entry.number > last.number + 1 {
                gaps.append(last.number + 1...entry.number - 1)
            } else if entry.previous != last.hash {
                contradictions.append("change \(entry.number) does not follow change \(last.number)")
            }
        } else {
            first = entry.number
        }
        last = entry
    }

    /// The end of the removals that the log records: an entry with a greater number that is missing was not removed by the hub.
    package var lastRemoved: Int { removals.values.map(\.last).max() ?? 0 }

    /// Whether the hub removed an entry with a number and an action.
    package func removed(_ number: Int, action: String) -> Bool {
        number <= removals[AuditRemoval.Group(action: action)]?.last ?? 0
    }

    /// All problems of a log whose entries were added from its beginning on, a few words each.
    package var problems: [String] {
        guard let first else { return [] }
        var missing = gaps
        if first > 1 { missing.insert(1...first - 1, at: 0) }
        let unexplained = missing.compactMap { gap in
            gap.upperBound > lastRemoved ? max(gap.lowerBound, lastRemoved + 1)...gap.upperBound : nil
        }
        var problems = contradictions
        problems += unexplained.map {
            "\(Self.text($0)) \($0.count == 1 ? "is" : "are") missing, but the hub removed none of these"
        }
        for removal in removals.values.sorted(by: { $0.last < $1.last }) {
            guard let first = firstOfGroup[removal.group], first <= removal.last else { continue }
            problems.append(
                "change \(first) is there, although the log says that the hub removed all such up to \(removal.last)"
            )
        }
        let removed = removals.values.reduce(0) { $0 + $1.count }
        let lost = missing.reduce(0) { $0 + $1.count } - unexplained.reduce(0) { $0 + $1.count }
        if lost != removed {
            problems.append(
                "\(lost) of changes 1 to \(lastRemoved) are missing, of which the hub removed \(removed)"
            )
        }
        return problems
    }

    /// A range of entries in words.
    package static func text(_ range: ClosedRange<Int>) -> String {
        range.count == 1 ? "change \(range.lowerBound)" : "changes \(range.lowerBound) to \(range.upperBound)"
    }
}
