import Foundation
import HubTestSupport
import ModelHub
import SightlineTestSupport
import Testing

/// Versions of a model by their aliases, against a hub as it is.
@Suite(.hangLimit)
struct AliasTests {
    private static let plants = RemoteModel(name: "plants")
    private static let staged = RemoteModel(name: "plants", alias: .staging)

    @Test func versionsWithDifferentAliasesAreKeptBesideEachOther() async throws {
        try await ClientHub.with { hub, folder in
            try await hub.publish("plants", fakeModel(1))
            try await hub.stage(fakeModel(2), of: "plants", threshold: 0.7)
            let manager = try ModelManager.testing(hub.address, folder: folder, key: hub.key)
            let staged = try await manager.download(Self.staged)
            #expect(staged.alias == .staging && staged.hash == sha256(fakeModel(2)))
            #expect(staged.confidenceThreshold == 0.7)
            #expect(!manager.isModelDownloaded(Self.plants))
            let served = try await manager.download(Self.plants)
            #expect(served.alias == .production && served.hash == sha256(fakeModel(1)))
            #expect(served.confidenceThreshold == nil)
            #expect(manager.downloadedModel(for: Self.staged) == staged)
            #expect(try manager.listDownloadedModels() == [served, staged])
            // Deleting one leaves the other.
            try manager.deleteDownloadedModel(Self.plants)
            #expect(try manager.listDownloadedModels() == [staged])
            #expect(try Data(contentsOf: staged.url) == fakeModel(2))
        }
    }

    @Test func anAppThatChangesTheAliasGetsTheOtherFile() async throws {
        try await ClientHub.with { hub, folder in
            try await hub.publish("plants", fakeModel(1))
            try await hub.stage(fakeModel(2), of: "plants")
            let manager = try ModelManager.testing(hub.address, folder: folder, key: hub.key)
            let types: [ModelDownloadType] = [.latestModel, .localModel, .latestModel]
            for type in types {
                #expect(try await manager.download(Self.plants, type: type).hash == sha256(fakeModel(1)))
                #expect(try await manager.download(Self.staged, type: type).hash == sha256(fakeModel(2)))
            }
            // After the promotion both are the same file.
            try await hub.promote("plants")
            #expect(try await manager.download(Self.plants).hash == sha256(fakeModel(2)))
            #expect(try await manager.download(Self.staged).hash == sha256(fakeModel(2)))
            let files = contents(of: folder).filter { $0.hasPrefix("files/") }
            #expect(files.count == 2)
        }
    }

    @Test func simultaneousDownloadsOfTwoAliasesAreTwoDownloads() async throws {
        try await ClientHub.with { hub, folder in
            let (old, new) = (fakeModel(1, byteCount: 400_000), fakeModel(2, byteCount: 400_000))
            try await hub.publish("plants", old)
            try await hub.stage(new, of: "plants")
            let manager = try ModelManager.testing(hub.address, folder: folder, key: hub.key)
            async let served = manager.download(Self.plants)
            async let staged = manager.download(Self.staged)
            let hashes = try await [served.hash, staged.hash]
            #expect(hashes == [sha256(old), sha256(new)])
        }
    }

    @Test func aMissingAliasIsAnErrorThatNamesIt() async throws {
        try await ClientHub.with { hub, folder in
            try await hub.publish("plants", fakeModel(1))
            let manager = try ModelManager.testing(hub.address, folder: folder, key: hub.key)
            let error = try await failure { try await manager.download(RemoteModel(name: "plants", alias: "beta")) }
            guard case .aliasNotFound("plants", "beta", _) = error else {
                Issue.record("\(String(describing: error))")
                return
            }
            #expect(error.description.contains("\"beta\""))
            let invalid = try await failure { try await manager.download(RemoteModel(name: "plants", alias: "../x")) }
            guard case .invalidArgument = invalid else {
                Issue.record("\(String(describing: invalid))")
                return
            }
        }
    }
}
