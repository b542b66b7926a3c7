import Foundation
import HubTestSupport
import SightlineTestSupport
import Testing

@testable import ModelHub
@testable import ModelHubServer

/// Apps that trust keys, against a hub as it is.
@Suite(.hangLimit)
struct SignedHubTests {
    private static let plants = RemoteModel(name: "plants")

    /// Makes a key that the hub keeps.
    private func key(_ hub: ClientHub, _ name: String = "owner") async throws -> (id: String, trusted: TrustedKey) {
        let issued = try await hub.hub.createCredential(
            CredentialPlan(.signing, role: .viewer, name: name, owner: .project("my-plants")),
            by: .local
        )
        return (issued.credential.id, try TrustedKey(try #require(issued.credential.publicKey)))
    }

    private func manager(_ hub: ClientHub, _ folder: URL, _ keys: TrustedKey...) throws -> ModelManager {
        try ModelManager.testing(hub.address, folder: folder, key: hub.key) { $0.trustedKeys = keys }
    }

    @Test func whatTheHubServesIsSignedByTheKeyThatItKeeps() async throws {
        try await ClientHub.with { hub, folder in
            let id = try await hub.publish("plants", fakeModel(1))
            let key = try await key(hub)
            let manager = try manager(hub, folder, key.trusted)
            #expect(try await manager.download(Self.plants).hash == sha256(fakeModel(1)))
            try await hub.setThreshold(0.7, of: "plants")
            #expect(try await manager.download(Self.plants).confidenceThreshold == 0.7)
            try await hub.replace(id, with: fakeModel(2))
            #expect(try await manager.download(Self.plants).hash == sha256(fakeModel(2)))
            // The owner goes back, which is a newer manifest.
            _ = try await hub.hub.promote(
                try #require(Int64(id)),
                to: 1,
                by: .local(try #require(try await hub.hub.projects().first))
            )
            #expect(try await manager.download(Self.plants).hash == sha256(fakeModel(1)))
        }
    }

    @Test func aliasesAreSignedToo() async throws {
        try await ClientHub.with { hub, folder in
            try await hub.publish("plants", fakeModel(1))
            let key = try await key(hub)
            let manager = try manager(hub, folder, key.trusted)
            let staged = RemoteModel(name: "plants", alias: .staging)
            // While no version is staged, the alias names the served one.
            #expect(try await manager.download(staged).hash == sha256(fakeModel(1)))
            try await hub.stage(fakeModel(2), of: "plants", threshold: 0.6)
            #expect(try await manager.download(staged).hash == sha256(fakeModel(2)))
            #expect(try await manager.download(staged).confidenceThreshold == 0.6)
            try await hub.promote("plants")
            #expect(try await manager.download(Self.plants).hash == sha256(fakeModel(2)))
            #expect(try await manager.download(staged).hash == sha256(fakeModel(2)))
        }
    }

    @Test func aHubWithoutKeysIsRefusedAndOtherAppsNoticeNothing() async throws {
        try await ClientHub.with { hub, folder in
            try await hub.publish("plants", fakeModel(1))
            let manager = try manager(hub, folder, try TrustedKey(String(repeating: "A", count: 43)))
            #expect(try await problem { try await manager.download(Self.plants) } == .unsigned)
            let other = try ModelManager.testing(hub.address, folder: folder, key: hub.key)
            #expect(try await other.download(Self.plants).hash == sha256(fakeModel(1)))
        }
    }

    @Test func whenAKeyIsRevokedTheNextOneSigns() async throws {
        try await ClientHub.with { hub, folder in
            try await hub.publish("plants", fakeModel(1))
            let (old, new) = (try await key(hub), try await key(hub, "next"))
            let (yesterday, today) = (
                try manager(hub, folder, old.trusted), try manager(hub, folder, old.trusted, new.trusted)
            )
            let tomorrow = try manager(hub, folder, new.trusted)
            try await yesterday.download(Self.plants)
            #expect(try await problem { try await tomorrow.download(Self.plants) } == .unknownKey(id: old.id))
            try await hub.hub.revokeCredential(old.id, of: .project("my-plants"), by: .local)
            try await hub.setThreshold(0.5, of: "plants")
            #expect(try await problem { try await yesterday.download(Self.plants) } == .unknownKey(id: new.id))
            for manager in [today, tomorrow] {
                #expect(try await manager.download(Self.plants).confidenceThreshold == 0.5)
            }
        }
    }

    @Test func registrationIsNeededForManifestsAsForDownloads() async throws {
        try await ClientHub.with(requiresInstallation: true) { hub, folder in
            try await hub.publish("plants", fakeModel(1))
            let key = try await key(hub)
            let manager = try ModelManager.testing(hub.address, folder: folder, key: hub.key, app: "1:2:ios:3") {
                $0.trustedKeys = [key.trusted]
            }
            #expect(try await manager.download(Self.plants).hash == sha256(fakeModel(1)))
        }
    }
}
