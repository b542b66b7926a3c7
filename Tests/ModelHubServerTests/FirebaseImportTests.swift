import Foundation
import SightlineTestSupport
import Testing

/// `hub import --firebase` when the other side refuses. A hub stands for Firebase, whose API it has.
@Suite(.hangLimit)
struct FirebaseImportTests {
    /// Expects that the import with a key file of a serving hub fails with a message after the key was revoked, or the file changed.
    private func expectRefusal(
        _ message: Regex<Substring>,
        revokesKey: Bool = false,
        changing change: (String) -> String = { $0 }
    ) async throws {
        try await HubProgram.withProject { folder, run in
            let server = try await HubProgram.Server(data: folder.appending(path: "hub"))
            defer { server.kill() }
            let address = "http://127.0.0.1:\(server.port)"
            let keyFile = folder.appending(path: "key.json")
            let key = try await run(["key", "create", "--key-file", "import", "--address", address])
            try Data(change(key.output).utf8).write(to: keyFile)
            if revokesKey {
                let id = try #require(
                    try await run(["key", "list"]).output.split(separator: "\n").last?.prefix { $0 != " " }
                )
                #expect(try await run(["key", "revoke", String(id)]).status == 0)
            }
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
        try await expectRefusal(message, revokesKey: true)
    }

    @Test func aRefusedListShowsTheReasonOfTheServer() async throws {
        let message = /models\?pageSize=100&pageToken= responded with status 40[34]: ".+"; (?:give|check) the/
        try await expectRefusal(message) {
            $0.replacing(/"project_id" *: *"[^"]+"/, with: #""project_id": "other-plants""#)
        }
    }
}
