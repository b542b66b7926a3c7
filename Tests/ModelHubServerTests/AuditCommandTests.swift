import Foundation
import HubTestSupport
import ModelHubProtocol
import SightlineTestSupport
import Testing

@testable import ModelHubServer

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
            #expect(checked.output.contains("\(entries.count) changes, 1 to \(entries.count), whole and the same"))
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
            try await command.waitForErrors { $0.contains("The command goes on when the hub answers.") }
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
            #expect(checked.status == 2 && checked.errors.contains("line 1, is not a change of an audit log"))
        }
    }
}
