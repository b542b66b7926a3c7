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

    // MARK: - Rollouts

    /// Calls `body` with apps that trust some keys, and got their versions of a rollout of version 2.
    private func withRollout(
        _ body:
            @escaping @Sendable (ClientHub, [ModelManager], (id: String, trusted: TrustedKey), String) async throws ->
            Void
    ) async throws {
        try await ClientHub.with { hub, folder in
            try await hub.publish("plants", fakeModel(1))
            let (key, next) = (try await key(hub), try await key(hub, "next"))
            try await hub.stage(fakeModel(2), of: "plants")
            let managers = try (0..<24).map { number in
                try manager(hub, folder.appending(path: "\(number)"), key.trusted, next.trusted)
            }
            for manager in managers.prefix(6) { try await manager.download(Self.plants) }
            let id = try await hub.rollOut("plants", version: 2, steps: [50, 100])
            try await expectGroups(managers)
            try await body(hub, managers, key, id)
        }
    }

    /// Expects that each app gets the version of its group, and that both groups have apps.
    private func expectGroups(_ managers: [ModelManager], new: Int = 2, old: Int = 1) async throws {
        var groups: Set<String> = []
        for manager in managers {
            let model = try await manager.download(Self.plants)
            let group = try #require(model.assignment?.variantID)
            #expect(model.hash == sha256(fakeModel(group == "new" ? new : old)))
            groups.insert(group)
        }
        // By chance, a run in eight million has one group.
        #expect(groups == ["new", "old"])
    }

    private func expect(_ number: Int, _ managers: [ModelManager]) async throws {
        for manager in managers { #expect(try await manager.download(Self.plants).hash == sha256(fakeModel(number))) }
    }

    @Test(arguments: [("abort", 1), ("finish", 2)])
    func bothVersionsOfARolloutAreSignedAndSoIsTheWayBack(action: String, version: Int) async throws {
        try await withRollout { hub, managers, _, id in
            try await hub.end(rollout: id, action)
            try await expect(version, managers)
            // The other version comes again, and stays.
            let other = version == 1 ? 2 : 1
            let next = try await hub.rollOut("plants", version: other, steps: [50, 100])
            try await expectGroups(managers, new: other, old: version)
            try await hub.end(rollout: next, "finish")
            try await expect(other, managers)
        }
    }

    @Test func theHubOfAFleetThatKeepsTheKeySignsTheWayBack() async throws {
        try await withRollout { hub, managers, key, id in
            let kept = try #require(try hub.hub.signingKeys.key(key.id))
            let other = try #require(try await hub.hub.validSigningKeys(of: "my-plants").last)
            hub.hub.signingKeys.remove(key.id)
            hub.hub.signingKeys.remove(other.id)
            try await hub.end(rollout: id, "abort")
            for manager in managers where manager.downloadedModel(for: Self.plants)?.hash == sha256(fakeModel(2)) {
                #expect(try await problem { try await manager.download(Self.plants) } == .unsigned)
            }
            try hub.hub.signingKeys.add(kept)
            try await hub.hub.signReturns()
            try await expect(1, managers)
        }
    }

    @Test func aRolloutGoesOnWhenAKeyIsRevoked() async throws {
        try await withRollout { hub, managers, key, id in
            try await hub.hub.revokeCredential(key.id, of: .project("my-plants"), by: .local)
            try await expectGroups(managers)
            try await hub.end(rollout: id, "abort")
            try await expect(1, managers)
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
