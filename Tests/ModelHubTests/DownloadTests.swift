import Foundation
import HubTestSupport
import ModelHub
import Sightline
import SightlineTestSupport
import Testing

/// Against a hub as it is.
@Suite(.hangLimit)
struct DownloadTests {
    @Test func aPublishedModelArrivesWholeAndIsListed() async throws {
        try await ClientHub.with { hub, folder in
            let file = fakeModel(1, byteCount: 700_000)
            try await hub.publish("plants", file)
            let manager = try ModelManager.testing(hub.address, folder: folder, key: hub.key)
            let plants = RemoteModel(name: "plants")
            #expect(!manager.isModelDownloaded(plants))
            #expect(try manager.listDownloadedModels() == [])

            let progress = Log<DownloadProgress>()
            let model = try await manager.download(plants) { progress.add($0) }
            #expect(try Data(contentsOf: model.url) == file)
            #expect((model.name, model.hash, model.size) == ("plants", sha256(file), file.count))
            #expect(manager.downloadedModel(for: plants) == model)
            #expect(try manager.listDownloadedModels() == [model])
            let counts = progress.all.map(\.completedByteCount)
            #expect(counts == counts.sorted() && counts.last == file.count)
            #expect(progress.all.last?.fractionCompleted == 1)
            #expect(contents(of: folder) == ["lock", "models/plants.json", "files/\(model.hash).tflite"])
        }
    }

    @Test func anUpdateComesWhenTheLatestIsWantedAndOpenReadersKeepTheirs() async throws {
        try await ClientHub.with { hub, folder in
            let (old, new) = (fakeModel(1), fakeModel(2))
            let id = try await hub.publish("plants", old)
            let manager = try ModelManager.testing(hub.address, folder: folder, key: hub.key)
            let plants = RemoteModel(name: "plants")
            let first = try await manager.download(plants)
            let reader = try FileHandle(forReadingFrom: first.url)
            try await hub.replace(id, with: new)
            #expect(try await manager.download(plants, type: .localModel) == first)

            let second = try await manager.download(plants)
            #expect(second.hash == sha256(new))
            #expect(manager.downloadedModel(for: plants) == second)
            #expect(try Data(contentsOf: first.url) == old)
            try manager.deleteDownloadedModel(plants)
            #expect(try reader.readToEnd() == old)
        }
    }

    @Test func theLocalModelIsGivenWhileTheUpdateIsFetched() async throws {
        try await ClientHub.with { hub, folder in
            let id = try await hub.publish("plants_in_background", fakeModel(1))
            let manager = try ModelManager.testing(hub.address, folder: folder, key: hub.key)
            let plants = RemoteModel(name: "plants_in_background")
            let first = try await manager.download(plants)
            try await hub.replace(id, with: fakeModel(2))
            let given = try await manager.download(plants, type: .localModelUpdateInBackground)
            #expect(given == first)
            try await wait(while: { manager.downloadedModel(for: plants) == first })
            #expect(manager.downloadedModel(for: plants)?.hash == sha256(fakeModel(2)))
        }
    }

    @Test func goingBackToAnEarlierVersionFetchesNothing() async throws {
        try await ClientHub.with { hub, folder in
            let id = try await hub.publish("plants", fakeModel(1))
            let manager = try ModelManager.testing(hub.address, folder: folder, key: hub.key)
            let plants = RemoteModel(name: "plants")
            let first = try await manager.download(plants)
            try await hub.replace(id, with: fakeModel(2))
            _ = try await manager.download(plants)
            try await hub.replace(id, with: fakeModel(1))
            let progress = Log<DownloadProgress>()
            #expect(try await manager.download(plants) { progress.add($0) } == first)
            #expect(progress.all.isEmpty)
        }
    }

    @Test func whatTheHubDoesNotHaveIsNotFound() async throws {
        try await ClientHub.with { hub, folder in
            let manager = try ModelManager.testing(hub.address, folder: folder, key: hub.key)
            let error = try await failure { try await manager.download(RemoteModel(name: "plants")) }
            #expect(error == .notFound(model: "plants", place: "the project \"my-plants\" of \(hub.address)"))
            #expect(contents(of: folder).isEmpty)
        }
    }

    @Test func aWrongKeyIsNotPermitted() async throws {
        try await ClientHub.with { hub, folder in
            try await hub.publish("plants", fakeModel())
            let manager = try ModelManager.testing(hub.address, folder: folder, key: "guessed")
            let error = try await failure { try await manager.download(RemoteModel(name: "plants")) }
            guard case .permissionDenied("plants", _) = error else { throw error }
        }
    }

    @Test func whereInstallationsAreDemandedTheAppRegisters() async throws {
        try await ClientHub.with(requiresInstallation: true) { hub, folder in
            try await hub.publish("plants", fakeModel())
            let plants = RemoteModel(name: "plants")
            let nameless = try ModelManager.testing(hub.address, folder: folder, key: hub.key)
            let error = try await failure { try await nameless.download(plants) }
            guard case .permissionDenied("plants", _) = error else { throw error }
            let manager = try ModelManager.testing(hub.address, folder: folder, key: hub.key, app: "1:2:ios:3")
            #expect(try await manager.download(plants).hash == sha256(fakeModel()))
            #expect(try await manager.download(plants).hash == sha256(fakeModel()))
        }
    }

    @Test func startedDownloadsShowTheirProgressAndNotifyOnce() async throws {
        try await ClientHub.with { hub, folder in
            let file = fakeModel(1, byteCount: 300_000)
            try await hub.publish("noticed", file)
            let manager = try ModelManager.testing(hub.address, folder: folder, key: hub.key)
            let model = RemoteModel(name: "noticed")
            let seen = Notifications<DownloadedModel>(.modelDownloadDidSucceed, of: model, .downloadedModel)
            let progress = manager.startDownload(of: model)
            try await wait(while: { !progress.isFinished })
            #expect(progress.completedUnitCount == Int64(file.count))
            #expect(seen.all.map(\.hash) == [sha256(file)])
        }
    }

    @Test func failuresNotifyWithTheirError() async throws {
        try await ClientHub.with { hub, folder in
            let manager = try ModelManager.testing(hub.address, folder: folder, key: hub.key)
            let model = RemoteModel(name: "missed")
            let seen = Notifications<DownloadError>(.modelDownloadDidFail, of: model, .error)
            let error = try await failure { try await manager.download(model) }
            #expect(seen.all == [error])
        }
    }
}
