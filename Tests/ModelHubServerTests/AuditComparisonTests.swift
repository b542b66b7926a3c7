import Foundation
import ModelHubProtocol
import SightlineTestSupport
import Testing

@testable import HubCLI

/// Copies of a log that the hub shortened.
struct AuditComparisonTests {
    private typealias Entry = AuditLogResource.Entry

    /// A log of 400 changes, of which the tenth is of a key, and what is left of it after the hub removed changes up to 120.
    private static let (whole, shortened): ([Entry], [Entry]) = {
        var entries: [Entry] = []
        func append(_ action: String, _ detail: String) {
            entries.append(
                Entry(
                    after: entries.last.map { ($0.number, $0.hash) },
                    time: "2026-11-28T12:00:00.000Z",
                    project: "my-plants",
                    actor: "ada",
                    action: action,
                    target: "",
                    detail: detail
                )
            )
        }
        for number in 1...400 { append(number == 10 ? "key.create" : "model.patch", "\(number)") }
        let whole = entries
        append("audit.remove-changes", AuditRemoval(group: .changes, last: 120, count: 119).detail)
        append("model.patch", "402")
        return (whole, entries.filter { $0.number > 120 || $0.number == 10 })
    }()

    private func problems(_ copy: [Entry], _ hub: [Entry]) throws -> [String] {
        try withTemporaryFolder { folder in
            let file = folder.appending(path: "audit.jsonl")
            try Data(copy.map { AuditCopy.line($0) + "\n" }.joined().utf8).write(to: file)
            var comparison = AuditComparison(try AuditCopy(file: file.path))
            for entry in hub { comparison.add(entry) }
            return comparison.problems
        }
    }

    @Test(arguments: [30, 120, 300, 400]) func aCopyThatEndsBeforeTheShorteningAgrees(end: Int) throws {
        #expect(try problems(Array(Self.whole.prefix(end)), Self.shortened) == [])
    }

    @Test func aCopyThatIsMadeAfterTheShorteningAgrees() throws {
        #expect(try problems(Self.shortened, Self.shortened) == [])
        #expect(try problems(Array(Self.shortened.dropFirst(50)), Self.shortened) == [])
    }

    @Test func anEntryThatTheShorteningDidNotConcernWasDeleted() throws {
        let key = Self.shortened.filter { $0.number != 10 }
        #expect(try problems(Self.whole, key) == ["change 10 was deleted in the hub"])
        let later = Self.shortened.filter { !(200...203).contains($0.number) }
        #expect(try problems(Self.whole, later) == ["changes 200 to 203 were deleted in the hub"])
    }

    /// Without its entry, a shortening is a deletion.
    @Test func aShorteningWithoutItsEntryIsADeletion() throws {
        let hub = Self.shortened.filter { $0.number <= 400 }
        let found = try problems(Self.whole, hub)
        #expect(found == ["changes 1 to 9 were deleted in the hub", "changes 11 to 120 were deleted in the hub"])
    }

    @Test func aCopyWithAGapThatNoShorteningExplainsLacksChanges() throws {
        let copy = Self.whole.filter { $0.number != 300 }
        #expect(try problems(copy, Self.shortened) == ["it lacks change 300, which the hub has"])
        let hub = Self.shortened.filter { $0.number != 300 }
        #expect(try problems(copy, hub).first == "it lacks change 300, and no entry says that the hub removed any")
    }

    @Test func theRecordOfARemovalIsReadAsItIsWritten() throws {
        for group in AuditRemoval.Group.allCases {
            let removal = AuditRemoval(group: group, last: 7, count: 5)
            let last = (number: group.leastKept + 7, hash: "")
            let entry = Entry(
                after: last,
                time: "",
                project: "",
                actor: "hub",
                action: group.action,
                target: "",
                detail: removal.detail
            )
            #expect(AuditRemoval(entry) == removal && AuditRemoval.Group(action: entry.action) == group)
            let early = Entry(
                after: (last.number - 1, ""),
                time: "",
                project: "",
                actor: "hub",
                action: group.action,
                target: "",
                detail: removal.detail
            )
            #expect(AuditRemoval(early) == nil)
        }
    }
}
