import DurableFiles
import Foundation
import HubTestSupport
import SightlineTestSupport
import Testing

@testable import ModelHubServer

/// The hub's own key, with which it signs addresses and tokens.
@Suite(.hangLimit)
struct HubKeyTests {
    private func withHub(_ body: (URL) async throws -> Void) async throws {
        try await withTemporaryFolder { folder in
            #expect(try await run(["project", "create", "my-plants"], folder).status == 0)
            try await body(folder)
        }
    }

    private func run(_ words: [String], _ folder: URL) async throws -> HubProgram.Result {
        try await HubProgram.run(words + ["--data", folder.path], place: .folder)
    }

    private func signer(_ folder: URL) async throws -> Signer {
        try await Hub(data: folder, validator: IdentifierValidator()).signer
    }

    @Test func aReplacedKeySignsNothingThatIsStillValid() async throws {
        try await withHub { folder in
            let signature = try await signer(folder).signature(of: "text", for: "test")
            #expect(try await signer(folder).isValid(signature, of: "text", for: "test"))
            let replaced = try await run(["key", "replace"], folder)
            #expect(replaced.status == 0, "\(replaced.errors)")
            #expect(try await signer(folder).isValid(signature, of: "text", for: "test") == false)
            #expect(try await run(["audit", "--hub-wide"], folder).output.contains("key.replace"))
        }
    }

    @Test func aHubThatServesKeepsItsKey() async throws {
        try await withHub { folder in
            let signature = try await signer(folder).signature(of: "text", for: "test")
            let server = try await HubProgram.Server(data: folder, place: .folder)
            defer { server.kill() }
            let refused = try await run(["key", "replace"], folder)
            #expect(refused.status != 0 && refused.errors.contains("stop it first"), "\(refused.errors)")
            #expect(try await signer(folder).isValid(signature, of: "text", for: "test"))
        }
    }

    @Test func aFolderWithoutAHubIsNamed() async throws {
        try await withTemporaryFolder { folder in
            let refused = try await run(["key", "replace"], folder)
            #expect(refused.status != 0 && refused.errors.contains("There is no hub in"))
        }
    }
}
