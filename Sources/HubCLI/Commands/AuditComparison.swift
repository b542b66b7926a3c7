import Foundation
import ModelHubProtocol

/// A comparison of a copy of an audit log with the log of the hub.
struct AuditComparison {
    /// The check of the copy.
    let copy: AuditChain
    /// The check of the hub's log, whose entries are added in the order of their numbers.
    private(set) var hub = AuditChain()

    /// The entries of the copy that the hub has not shown yet, by number.
    private var unseen: [Int: AuditLogResource.Entry]
    /// The numbers of the copy's entries that differ in the hub.
    private var differing: [Int] = []
    /// The numbers of the hub's entries in gaps of the copy.
    private var lacking: [Int] = []
    /// The hub's entry that records its restoration, the newest if there are several.
    private var restoration: AuditLogResource.Entry?

    init(_ copy: AuditCopy) {
        self.copy = copy.chain
        unseen = Dictionary(copy.entries.map { ($0.number, $0) }, uniquingKeysWith: { $1 })
    }

    /// Adds the next entry of the hub.
    mutating func add(_ entry: AuditLogResource.Entry) {
        hub.add(entry)
        if entry.action == AuditLogResource.Entry.restoration { restoration = entry }
        if let known = unseen.removeValue(forKey: entry.number) {
            // An entry that was altered in the hub has no hash that a copy could have.
            if known.hash != entry.hash || entry.hash != entry.contentHash { differing.append(entry.number) }
        } else if let first = copy.first, let last = copy.last, (first...max(first, last.number)).contains(entry.number)
        {
            lacking.append(entry.number)
        }
    }

    /// The copy's entries that the hub lacks, in order.
    var missing: [AuditLogResource.Entry] { unseen.values.sorted { $0.number < $1.number } }

    /// The signs that the copy or the log of the hub was altered, a few words each.
    var problems: [String] {
        guard let last = copy.last else { return [] }
        let end = hub.last?.number ?? 0
        var problems = copy.contradictions
        if let project = hub.last?.project, project != last.project {
            return problems + ["it is a copy of the log of \(last.project), not of \(project)"]
        }
        problems += Self.ranges(lacking).map { "it lacks \(AuditChain.text($0)), which the hub has" }
        let lastRemoved = max(copy.lastRemoved, hub.lastRemoved)
        problems += copy.gaps.filter { gap in gap.upperBound > lastRemoved && !lacking.contains { gap.contains($0) } }
            .map { "it lacks \(AuditChain.text($0)), and no entry says that the hub removed any" }

        let deleted = missing.filter { $0.number <= end && !hub.removed($0.number, action: $0.action) }.map(\.number)
        problems += Self.ranges(deleted).map {
            "\(AuditChain.text($0)) \($0.count == 1 ? "was" : "were") deleted in the hub"
        }
        // The hub's own contradictions; what the copy shows exactly is not repeated.
        problems += (deleted.isEmpty && differing.isEmpty ? hub.problems : hub.contradictions).map {
            "in the hub, \($0)"
        }
        if let other = differing.first {
            let others = differing.count > 1 ? ", and \(differing.count - 1) more differ" : ""
            problems.append("the hub has another change \(other)\(others)\(backupHint(from: other))")
        }
        let tail = missing.map(\.number).filter { $0 > end }
        problems += Self.ranges(tail).map { range in
            let place = end == 0 ? "the log of the hub is empty" : "the log of the hub ends with change \(end)"
            return "\(place), and \(AuditChain.text(range)) of the copy \(range.count == 1 ? "is" : "are") missing"
                + (differing.isEmpty && end > 0 ? backupHint(from: end + 1) : "")
        }
        return problems
    }

    /// A remark about a log that is the same before a number, and differs from there on.
    private func backupHint(from number: Int) -> String {
        guard number > 1, differing.allSatisfy({ $0 >= number }) else { return "" }
        if let restoration, restoration.number == number {
            return "; its change \(number) says that a backup was restored at \(restoration.time)"
        }
        return "; an older backup that was put in place looks the same, so ask who did it"
    }

    private static func ranges(_ numbers: [Int]) -> [ClosedRange<Int>] {
        numbers.reduce(into: []) { ranges, number in
            if let last = ranges.last, last.upperBound == number - 1 {
                ranges[ranges.count - 1] = last.lowerBound...number
            } else {
                ranges.append(number...number)
            }
        }
    }
}
