import Foundation
import GRDB
import HubTestSupport
import ModelHubProtocol
import ModelHubServer
import SightlineTestSupport
import Testing

/// Copies of the audit log.
@Suite(.hangLimit)
struct AuditCommandTests {
    /// Calls `body` with a copy of a log with six changes.
    private func withCopy(
        _ body: (URL, [AuditLogResource.Entry]) async throws -> Void
    ) async throws {
        try await HubProgram.withProject { folder, run in
            let model = TestData.fixture("models/classifier_float_metadata.tflite").path
            #expect(try await run(["publish", "plants", model]).status == 0)
            #expect(try await run(["unpublish", "plants"]).status == 0)
            let output = try await run(["audit", "--since", "0"]).output
            let copy = folder.appending(path: "audit.jsonl")
            try Data(output.utf8).write(to: copy)
            let entries = try output.split(separator: "\n").map {
                try JSONDecoder().decode(AuditLogResource.Entry.self, from: Data($0.utf8))
            }
            try await body(copy, entries)
        }
    }

    /// Checks a copy, which lies beside the hub's folder.
    private func verify(_ copy: URL) async throws -> HubProgram.Result { try await audit("--verify", copy.path, copy) }

    private func audit(_ option: String, _ value: String, _ copy: URL) async throws -> HubProgram.Result {
        let hub = copy.deletingLastPathComponent().appending(path: "hub").path
        return try await HubProgram.run(["audit", option, value], environment: ["SIGHTLINE_HUB_DATA": hub])
    }

    private func write(_ entries: [AuditLogResource.Entry], _ copy: URL) throws {
        let lines = try entries.map { String(decoding: try JSONEncoder().encode($0), as: UTF8.self) + "\n" }
        try Data(lines.joined().utf8).write(to: copy)
    }

    @Test func aCopyHasAllChangesInOrderAndIsWhole() async throws {
        try await withCopy { copy, entries in
            #expect(entries.map(\.number) == Array(1...entries.count) && entries.last?.detail == "unpublished")
            let checked = try await verify(copy)
            #expect(checked.status == 0, "\(checked.errors)")
            #expect(checked.output.contains("\(entries.count) changes, 1 to \(entries.count), complete and the same"))
            #expect(try await audit("--since", "\(entries.count - 1)", copy).output.split(separator: "\n").count == 1)
        }
    }

    @Test func anAlteredChangeIsFound() async throws {
        try await withCopy { copy, entries in
            var altered = entries
            altered[1].actor = "nobody"
            try write(altered, copy)
            let checked = try await verify(copy)
            #expect(checked.status == 1 && checked.errors.contains("change 2 was altered after it was written"))
        }
    }

    @Test func aMissingChangeIsFound() async throws {
        try await withCopy { copy, entries in
            try write(entries.filter { $0.number != 3 }, copy)
            let checked = try await verify(copy)
            #expect(checked.status == 1 && checked.errors.contains("it lacks change 3, which the hub has"))
        }
    }

    /// Somebody with the hub's database can write a new chain; a copy of the old one contradicts it.
    @Test func aHubWithAnotherHistoryIsFound() async throws {
        try await withCopy { copy, entries in
            var (chain, last): ([AuditLogResource.Entry], (number: Int, hash: String)?) = ([], nil)
            for entry in entries {
                let next = AuditLogResource.Entry(
                    after: last,
                    time: entry.time,
                    project: entry.project,
                    actor: entry.number < 3 ? entry.actor : "nobody",
                    action: entry.action,
                    target: entry.target,
                    detail: entry.detail
                )
                last = (next.number, next.hash)
                chain.append(next)
            }
            try write(chain, copy)
            let checked = try await verify(copy)
            #expect(checked.status == 1)
            #expect(checked.errors.contains("the hub has another change 3, and \(entries.count - 3) more differ"))
        }
    }

    @Test func aCommandThatFollowsTheLogGoesOnAfterARestartOfTheHub() async throws {
        try await HubProgram.withProject { folder, run in
            let data = folder.appending(path: "hub")
            let token = try await run(["token", "create", "reader", "--role", "owner"]).output.trimmingCharacters(
                in: .whitespacesAndNewlines
            )
            let first = try await HubProgram.Server(data: data)
            let command = try await Program("sightline-hub").start(
                ["audit", "--since", "0", "--follow"],
                environment: ["SIGHTLINE_HUB": "http://127.0.0.1:\(first.port)", "SIGHTLINE_HUB_TOKEN": token]
            )
            defer { command.send(signal: SIGKILL) }
            try await command.waitForOutput { $0.contains("reader") }
            first.kill()
            _ = try await first.process.result()
            try await command.waitForErrors { $0.contains("The command continues when the hub answers.") }
            let second = try await HubProgram.Server(data: data, arguments: ["--port", "\(first.port)"])
            defer { second.kill() }
            #expect(try await run(["token", "create", "later"]).status == 0)
            try await command.waitForOutput { $0.contains("later") }
        }
    }

    @Test func aFileOfAnotherKindIsRefusedWithItsLine() async throws {
        try await withCopy { copy, _ in
            try Data("{}\n".utf8).write(to: copy)
            let checked = try await verify(copy)
            #expect(checked.status == 2 && checked.errors.contains("line 1, is not an entry of an audit log"))
        }
    }

    @Test func aCopyOfAnotherProjectIsNamed() async throws {
        try await withCopy { copy, _ in
            let hub = copy.deletingLastPathComponent().appending(path: "hub").path
            let place = ["SIGHTLINE_HUB_DATA": hub]
            #expect(try await HubProgram.run(["project", "create", "others"], environment: place).status == 0)
            let words = ["audit", "--verify", copy.path, "--project", "others"]
            let checked = try await HubProgram.run(words, environment: place)
            #expect(checked.status == 1 && checked.errors.contains("a copy of the log of my-plants, not of others"))
        }
    }
}

/// A hub whose log somebody with its database changed, against a copy that lies elsewhere.
@Suite(.hangLimit)
struct AuditDeletionTests {
    /// Calls `body` with a copy of a log with eight changes, and with a function that changes the hub's database.
    private func withCopy(
        _ body: (
            _ copy: URL, _ run: ([String]) async throws -> HubProgram.Result, _ change: (String) async throws -> Void
        )
            async throws -> Void
    ) async throws {
        try await withTemporaryFolder { folder in
            let hub = folder.appending(path: "hub").path
            func run(_ words: [String]) async throws -> HubProgram.Result {
                try await HubProgram.run(words, environment: ["SIGHTLINE_HUB_DATA": hub], place: .folder)
            }
            #expect(try await run(["project", "create", "my-plants"]).status == 0)
            for number in 2...8 { #expect(try await run(["token", "create", "k\(number)"]).status == 0) }
            let copy = folder.appending(path: "audit.jsonl")
            try Data(try await run(["audit", "--since", "0"]).output.utf8).write(to: copy)
            try await body(copy, run) { sql in
                let queue = try DatabaseQueue(path: hub + "/hub.sqlite")
                try await queue.write { db in try db.execute(sql: sql) }
                try queue.close()
            }
        }
    }

    @Test(arguments: [
        ("number IN (4, 5)", "changes 4 to 5 was deleted in the hub"),
        ("number = 1", "change 1 was deleted in the hub"),
        ("number > 7", "the log of the hub ends with change 7, and change 8 of the copy is missing"),
        ("number > 5", "the log of the hub ends with change 5, and changes 6 to 8 of the copy are missing"),
        ("number > 1", "the log of the hub ends with change 1, and changes 2 to 8 of the copy are missing"),
        ("TRUE", "the log of the hub is empty, and changes 1 to 8 of the copy are missing"),
    ])
    func aDeletionIsFound(condition: String, words: String) async throws {
        try await withCopy { copy, run, change in
            try await change("DELETE FROM audit WHERE \(condition)")
            let checked = try await run(["audit", "--verify", copy.path])
            #expect(
                checked.status == 1 && checked.errors.contains(words.replacing("5 was", with: "5 were")),
                "\(checked.errors)"
            )
            // Without a copy, the hub itself sees gaps and missing ends.
            let verified = try await run(["verify"])
            #expect(verified.status == 1 && verified.output.contains("audit log"), "\(verified.output)")
        }
    }

    /// After a deletion at the end, new changes take the numbers of those that were deleted.
    @Test func newChangesInThePlaceOfDeletedOnesAreFound() async throws {
        try await withCopy { copy, run, change in
            try await change("DELETE FROM audit WHERE number > 6")
            for name in ["a", "b", "c"] { #expect(try await run(["token", "create", name]).status == 0) }
            let checked = try await run(["audit", "--verify", copy.path])
            #expect(checked.status == 1)
            #expect(checked.errors.contains("the hub has another change 7, and 1 more differ"), "\(checked.errors)")
            #expect(checked.errors.contains("an older backup that was put in place looks the same"))
        }
    }

    @Test(arguments: [
        // Two entries are exchanged, also with their numbers.
        """
        UPDATE audit SET number = 100 WHERE number = 4; UPDATE audit SET number = 4 WHERE number = 5;
        UPDATE audit SET number = 5 WHERE number = 100
        """,
        // The numbers close a gap.
        "DELETE FROM audit WHERE number = 4; UPDATE audit SET number = number - 1 WHERE number > 4",
        "UPDATE audit SET actor = 'nobody' WHERE number = 3",
        "UPDATE audit SET event = 'model.staged' WHERE number = 3",
        "UPDATE audit SET time = time + 1 WHERE number = 8",
    ])
    func rewrittenEntriesAreFoundWithAndWithoutACopy(sql: String) async throws {
        try await withCopy { copy, run, change in
            try await change(sql)
            let checked = try await run(["audit", "--verify", copy.path])
            #expect(checked.status == 1, "\(checked.errors)")
            let verified = try await run(["verify"])
            #expect(
                verified.status == 1 && verified.output.contains("In the audit log of my-plants, change"),
                "\(verified.output)"
            )
        }
    }

    /// An entry that says that the hub removed others explains only what a hub would have removed.
    @Test func aForgedRemovalExplainsNoGap() async throws {
        try await withCopy { copy, run, change in
            let last = try #require(
                try JSONDecoder().decode(
                    [AuditLogResource.Entry].self,
                    from: Data("[\(try await run(["audit", "--since", "7"]).output)]".utf8)
                ).last
            )
            let forged = AuditLogResource.Entry(
                after: (last.number, last.hash),
                time: last.time,
                project: last.project,
                actor: "hub",
                action: "audit.remove-rights",
                target: "projects/my-plants",
                detail: "up to 5, 5 in all"
            )
            try await change(
                """
                DELETE FROM audit WHERE number <= 5;
                INSERT INTO audit (time, project, actor, action, target, detail, number, previous, hash)
                SELECT time, project, 'hub', '\(forged.action)', '\(forged.target)', '\(forged.detail)', 9, '\(forged.previous)',
                    '\(forged.hash)' FROM audit WHERE number = 8
                """
            )
            let checked = try await run(["audit", "--verify", copy.path])
            #expect(
                checked.status == 1 && checked.errors.contains("changes 1 to 5 were deleted in the hub"),
                "\(checked.errors)"
            )
            #expect(try await run(["verify"]).status == 1)
        }
    }

    @Test func aHubThatWasRestoredFromAnOlderBackupIsToldFromADeletion() async throws {
        try await withCopy { copy, run, _ in
            let folder = copy.deletingLastPathComponent()
            let backup = folder.appending(path: "backup").path
            #expect(try await run(["backup", backup]).status == 0)
            for name in ["a", "b"] { #expect(try await run(["token", "create", name]).status == 0) }
            try Data(try await run(["audit", "--since", "0"]).output.utf8).write(to: copy)
            let place = ["SIGHTLINE_HUB_DATA": folder.appending(path: "restored").path]
            #expect(try await HubProgram.run(["restore", backup], environment: place).status == 0)
            let words = ["audit", "--verify", copy.path]
            let checked = try await HubProgram.run(words, environment: place, place: .folder)
            #expect(checked.status == 1)
            #expect(checked.errors.contains("the hub has another change 9"), "\(checked.errors)")
            #expect(checked.errors.contains("its change 9 says that a backup was restored at 20"))
            #expect(
                checked.errors.contains("the log of the hub ends with change 9, and change 10 of the copy is missing")
            )
            let verified = try await HubProgram.run(["verify"], environment: place, place: .folder)
            #expect(verified.status == 0, "\(verified.output)")
        }
    }

    @Test func twoCopiesOfDifferentAgeAgreeWithOneHub() async throws {
        try await withCopy { copy, run, _ in
            for name in ["a", "b"] { #expect(try await run(["token", "create", name]).status == 0) }
            let newer = copy.deletingLastPathComponent().appending(path: "newer.jsonl")
            try Data(try await run(["audit", "--since", "4"]).output.utf8).write(to: newer)
            for file in [copy, newer] {
                let checked = try await run(["audit", "--verify", file.path])
                #expect(checked.status == 0, "\(checked.errors)")
            }
        }
    }
}
