import Foundation
import SightlineTestSupport
import Testing

/// `hub import --firebase` when the other side refuses. A hub stands for Firebase, whose API it has.
@Suite(.hangLimit)
struct FirebaseImportTests {
    /// Expects that the import with a key file of a serving hub fails with a message after a change of the hub or the file.
    private func expectRefusal(
        _ message: Regex<Substring>,
        after change: (_ run: ([String]) async throws -> HubProgram.Result, _ keyFile: URL) async throws -> Void
    ) async throws {
        try await HubProgram.withProject { folder, run in
            let server = try await HubProgram.Server(data: folder.appending(path: "hub"))
            defer { server.kill() }
            let address = "http://127.0.0.1:\(server.port)"
            let keyFile = folder.appending(path: "key.json")
            let key = try await run(["key", "create", "--key-file", "import", "--address", address])
            try Data(key.output.utf8).write(to: keyFile)
            try await change(run, keyFile)
            let target = ["--data", folder.appending(path: "target").path]
            #expect(try await run(["project", "create", "new-home"] + target).status == 0)
            let endpoints = ["--model-endpoint", address, "--storage-endpoint", address]
            let result = try await run(["import", "--firebase", keyFile.path] + endpoints + target)
            #expect(result.status == 2)
            #expect(result.errors.contains(message), "\(result.errors)")
        }
    }

    @Test func aRefusedSignInShowsTheReasonOfTheServer() async throws {
        let message = /\/token responded with status 40[01]: ".+"; check the clock of this machine/
        try await expectRefusal(message) { run, _ in
            let keys = try await run(["key", "list"]).output.split(separator: "\n")
            let id = try #require(keys.last?.prefix { $0 != " " })
            #expect(try await run(["key", "revoke", String(id)]).status == 0)
        }
    }

    @Test func aRefusedListShowsTheReasonOfTheServer() async throws {
        let message = /models\?pageSize=100&pageToken= responded with status 40[34]: ".+"; (?:give|check) the/
        try await expectRefusal(message) { _, keyFile in
            let text = try String(contentsOf: keyFile, encoding: .utf8)
            let other = text.replacing(/"project_id" *: *"[^"]+"/, with: #""project_id": "other-plants""#)
            try Data(other.utf8).write(to: keyFile)
        }
    }
}
