import Foundation
import HubTestSupport
import ModelHubServer
import SightlineTestSupport
import Testing

@testable import ModelHub

/// Apps that trust keys, against hubs and mirrors in the hand of an attacker.
@Suite(.hangLimit)
struct HostileHubTests {
    private static let plants = RemoteModel(name: "plants")
    private let owner = Owner()
    private let good = fakeModel(1)
    private let evil = fakeModel(666)

    /// Installs a good file, lets an attacker change the hub, and checks that the app refuses and keeps what it has.
    private func refused(
        _ attack: (HostileHub) throws -> Void,
        _ check: (ManifestProblem) throws -> Void
    ) async throws {
        try await HostileHub.with(good, manifest: try owner.signed(good, serial: 5)) { hub, server, folder in
            let manager = try owner.manager(server, folder)
            let installed = try await manager.download(Self.plants)
            let before = contents(of: folder)
            try attack(hub)
            try check(try await problem { try await manager.download(Self.plants) })
            // The installed model stays usable, also for a new process, and nothing of the attacker's is there.
            #expect(contents(of: folder) == before)
            let other = try owner.manager(server, folder)
            #expect(try await other.download(Self.plants, type: .localModel) == installed)
            #expect(try Data(contentsOf: installed.url) == good)
        }
    }

    // MARK: - With a signature, and without keys

    @Test func aSignedVersionIsInstalledWithTheSignedThreshold() async throws {
        let manifest = try owner.signed(good) { $0.confidenceThreshold = 0.4 }
        try await HostileHub.with(good, manifest: manifest) { hub, server, folder in
            hub.change { $0.threshold = "0.01" }
            let model = try await owner.manager(server, folder).download(Self.plants)
            #expect(model.hash == sha256(good) && model.confidenceThreshold == 0.4)
        }
    }

    @Test func withoutKeysNothingIsAskedForAndAnythingIsInstalled() async throws {
        try await HostileHub.with(evil, manifest: Data("garbage".utf8)) { _, server, folder in
            let model = try await ModelManager.testing(server.address, folder: folder).download(Self.plants)
            #expect(model.hash == sha256(evil))
            #expect(!server.requests.contains { $0.path.contains(":manifest") })
            #expect(!contents(of: folder).contains { $0.hasPrefix("manifests/") })
        }
    }

    @Test func aManifestThatIsThereIsAskedForOnce() async throws {
        try await HostileHub.with(good, manifest: try owner.signed(good)) { _, server, folder in
            let manager = try owner.manager(server, folder)
            for _ in 0..<3 { try await manager.download(Self.plants) }
            let asked = server.requests.filter { $0.path.contains(":manifest") }
            #expect(asked.map(\.path) == ["/v1beta2/projects/my-plants/models/plants:manifest?hash=\(sha256(good))"])
            #expect(asked.first?.headers.first(name: "x-goog-api-key") == "key")
        }
    }

    @Test func aManifestThatComesWithTheDownloadIsCheckedAsWell() async throws {
        try await HostileHub.with(good, manifest: try owner.signed(good)) { hub, server, folder in
            hub.change { $0.sendsManifest = true }
            let manager = try owner.manager(server, folder)
            #expect(try await manager.download(Self.plants).hash == sha256(good))
            #expect(!server.requests.contains { $0.path.contains(":manifest") })
            let attacker = Owner()
            for manifest in [
                Data(), Data("garbage".utf8), try attacker.signed(evil), try owner.signed(good, serial: 9),
            ] {
                hub.offer(evil, manifest: manifest)
                hub.change { $0.sendsManifest = true }
                _ = try await problem { try await manager.download(Self.plants) }
                #expect(manager.downloadedModel(for: Self.plants)?.hash == sha256(good))
            }
        }
    }

    // MARK: - A hub wholly in an attacker's hand

    @Test func anUnsignedVersionIsRefused() async throws {
        try await refused {
            $0.offer(evil, manifest: nil)
        } _: {
            #expect($0 == .unsigned)
        }
    }

    @Test func aVersionThatTheAttackerSignsIsRefused() async throws {
        let attacker = Owner()
        try await refused { hub in
            hub.offer(evil, manifest: try attacker.signed(evil, serial: 9))
        } _: {
            #expect($0 == .unknownKey(id: attacker.key.id))
        }
    }

    @Test func theNameOfATrustedKeyIsNoSignature() async throws {
        let body = Data(owner.manifest(evil, serial: 9).text.utf8)
        let attacker = try SignedManifest(try Owner().signed(evil))
        try await refused { hub in
            hub.offer(evil, manifest: SignedManifest(body: body, signature: attacker.signature).data)
        } _: {
            #expect($0 == .wrongSignature(key: owner.key.id))
        }
    }

    @Test func theManifestOfAnotherFileIsRefused() async throws {
        try await refused { hub in
            hub.offer(evil, manifest: try owner.signed(good, serial: 6))
        } _: {
            guard case .wrongFile = $0 else { throw $0 }
        }
    }

    @Test func aWrongSizeIsRefused() async throws {
        let next = fakeModel(2)
        try await refused { hub in
            hub.offer(next, manifest: try owner.signed(next, serial: 6))
            hub.change { $0.hub.size = "\(next.count + 1)" }
        } _: {
            guard case .wrongFile = $0 else { throw $0 }
        }
    }

    @Test func noByteOfAManifestCanBeChanged() throws {
        let check = ManifestCheck(keys: [try owner.trusted], project: "my-plants", model: Self.plants, now: Date())
        let data = try owner.signed(good)
        #expect(try check.manifest(data).hash == sha256(good))
        for index in data.indices {
            for bit in [UInt8(1), 0x20, 0x80] {
                var changed = data
                changed[index] ^= bit
                #expect(throws: ManifestProblem.self) { try check.manifest(changed) }
            }
        }
        for count in 0..<data.count {
            #expect(throws: ManifestProblem.self) { try check.manifest(data.prefix(count)) }
        }
        #expect(throws: ManifestProblem.self) { try check.manifest(data + data) }
    }

    @Test func garbageIsRefused() async throws {
        for garbage in [
            Data(), Data("{}".utf8), Data(repeating: 10, count: 5000), good, Data(repeating: 0xff, count: 64),
        ] {
            try await refused {
                $0.offer(evil, manifest: garbage)
            } _: {
                guard case .unreadable = $0 else { throw $0 }
            }
        }
    }

    @Test func aManifestWithoutAnEndIsNotReadToItsEnd() async throws {
        let endless = Data(repeating: 10, count: 50_000_000)
        try await HostileHub.with(good, manifest: endless) { _, server, folder in
            let error = try await failure { try await owner.manager(server, folder).download(Self.plants) }
            #expect(error.description.contains("longer than 65536 bytes"))
            #expect(!contents(of: folder).contains { $0.hasPrefix("files/") })
        }
    }

    @Test func aFormatOfTheFutureIsNamed() async throws {
        let text = owner.manifest(evil, serial: 9).text.replacing(
            ModelManifest.format,
            with: "sightline-model-manifest 2"
        )
        // The key signed it, so that only the format is unknown.
        let signed = try owner.signed(text: text)
        try await refused {
            $0.offer(evil, manifest: signed)
        } _: {
            #expect($0 == .unknownFormat("sightline-model-manifest 2"))
        }
    }

    @Test func anAttackerWhoOnlyWithholdsIsNoticedWhenTheManifestEnds() async throws {
        try await HostileHub.with(good, manifest: try owner.signed(good)) { hub, server, folder in
            let installed = try await owner.manager(server, folder).download(Self.plants)
            hub.change { $0.manifest = nil }
            // The hub says that nothing changed, which is enough until the manifest ends.
            let month = TimeInterval(30 * 24 * 3600)
            #expect(try await owner.manager(server, folder, ahead: month - 3600).download(Self.plants) == installed)
            let late = try owner.manager(server, folder, ahead: month + 25 * 3600)
            #expect(try await problem { try await late.download(Self.plants) } == .unsigned)
            #expect(try await late.download(Self.plants, type: .localModel) == installed)
            #expect(late.downloadedModel(for: Self.plants) == installed)
        }
    }

    // MARK: - A lying mirror

    @Test func aMirrorWithAnotherFileIsNotBelieved() async throws {
        try await HostileHub.with(good, manifest: try owner.signed(good)) { hub, server, folder in
            hub.change { $0.fileReply = ScriptedServer.Reply(body: fakeModel(7)) }
            let error = try await failure { try await owner.manager(server, folder).download(Self.plants) }
            guard case .wrongContent = error else { throw error }
            #expect(!contents(of: folder).contains { $0.hasPrefix("files/") || $0.hasPrefix("models/") })
            hub.change { $0.fileReply = nil }
            #expect(try await owner.manager(server, folder).download(Self.plants).hash == sha256(good))
        }
    }

    @Test func aFileThatIsThereAlreadyNeedsASignatureToo() async throws {
        try await HostileHub.with(evil, manifest: nil) { hub, server, folder in
            // Installed under another name, by an app without keys.
            try await ModelManager.testing(server.address, folder: folder).download(Self.plants)
            hub.offer(good, manifest: try owner.signed(good))
            let manager = try owner.manager(server, folder)
            try await manager.download(Self.plants)
            hub.offer(evil, manifest: nil)
            #expect(try await problem { try await manager.download(Self.plants) } == .unsigned)
            #expect(manager.downloadedModel(for: Self.plants)?.hash == sha256(good))
        }
    }

    // MARK: - Swapped names

    @Test func theManifestOfAnotherModelAliasOrProjectIsRefused() async throws {
        let changes: [@Sendable (inout ModelManifest) -> Void] = [
            { $0.name = "tulips" }, { $0.alias = .staging }, { ($0.project, $0.projectNumber) = ("other-project", 2) },
        ]
        for (change, found) in zip(
            changes,
            ["tulips@production of my-plants", "plants@staging of my-plants", "plants@production of other-project"]
        ) {
            try await refused { hub in
                hub.offer(evil, manifest: try owner.signed(evil, serial: 9, change))
            } _: {
                #expect($0 == .wrongModel(found: found))
            }
        }
    }

    @Test func anAppMayKnowTheProjectByItsNumber() async throws {
        try await HostileHub.with(good, manifest: try owner.signed(good)) { _, server, folder in
            let manager = try owner.manager(server, folder, project: "100000000001")
            // The server of this test answers for any project.
            #expect(try await manager.download(Self.plants).hash == sha256(good))
            let other = try owner.manager(server, folder.appending(path: "other"), project: "100000000002")
            guard case .wrongModel = try await problem(of: { try await other.download(Self.plants) }) else {
                throw UnexpectedSuccess.ofTrust
            }
        }
    }
}

extension UnexpectedSuccess {
    /// The app trusted what it must not trust, or said a wrong reason.
    static let ofTrust = UnexpectedSuccess(
        model: DownloadedModel(name: "plants", hash: "", size: 0, url: URL(filePath: "/"))
    )
}
