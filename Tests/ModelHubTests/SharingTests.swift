import Foundation
import HubTestSupport
import ModelHub
import Sightline
import SightlineTestSupport
import Synchronization
import Testing

@Suite(.hangLimit)
struct SharingTests {
    private static let plants = RemoteModel(name: "plants")
    private static let file = fakeModel(1, byteCount: 200_000)

    @Test func requestsAtOneTimeShareOneTransfer() async throws {
        let hub = LyingHub(Self.file)
        let (gate, opening) = AsyncStream<Void>.makeStream()
        try await ScriptedServer.with { request, server in
            // Nothing is answered before all have asked.
            for await _ in gate { break }
            return hub.reply(to: request, of: server)
        } _: { server in
            try await withTemporaryFolder { folder in
                let manager = try ModelManager.testing(server.address, folder: folder)
                let asked = Log<Int>()
                try await withThrowingTaskGroup(of: DownloadedModel.self) { group in
                    for number in 0..<10 {
                        group.addTask {
                            asked.add(number)
                            return try await manager.download(Self.plants)
                        }
                    }
                    try await wait(while: { asked.all.count < 10 || server.requests.isEmpty })
                    opening.finish()
                    var hashes: Set<String> = []
                    for try await model in group { hashes.insert(model.hash) }
                    #expect(hashes == [sha256(Self.file)])
                }
                #expect(server.count("/file") == 1)
            }
        }
    }

    @Test func whoIsCancelledLeavesTheOthersTheirTransfer() async throws {
        let hub = LyingHub(Self.file)
        let (gate, opening) = AsyncStream<Void>.makeStream()
        try await ScriptedServer.with { request, server in
            if request.path == "/file" { for await _ in gate { break } }
            return hub.reply(to: request, of: server)
        } _: { server in
            try await withTemporaryFolder { folder in
                let manager = try ModelManager.testing(server.address, folder: folder)
                let patient = Task { try await manager.download(Self.plants) }
                let impatient = Task { try await manager.download(Self.plants) }
                try await wait(while: { server.count("/file") == 0 })
                impatient.cancel()
                let error = try await failure { try await impatient.value }
                #expect(error == .cancelled(model: "plants"))
                opening.finish()
                #expect(try await patient.value.hash == sha256(Self.file))
            }
        }
    }

    @Test func aCancelledDownloadEndsAtOnceAndGoesOnLater() async throws {
        let hub = LyingHub(Self.file)
        try await ScriptedServer.with { request, server in
            var reply = hub.reply(to: request, of: server)
            if reply.body.count == Self.file.count {
                reply.announcedLength = Self.file.count
                reply.body = reply.body.prefix(150_000)
                reply.stalls = true
            }
            return reply
        } _: { server in
            try await withTemporaryFolder { folder in
                let manager = try ModelManager.testing(server.address, folder: folder)
                let progress = Log<DownloadProgress>()
                let download = Task { try await manager.download(Self.plants) { progress.add($0) } }
                try await wait(while: { progress.all.last?.completedByteCount != 150_000 })
                download.cancel()
                #expect(try await failure { try await download.value } == .cancelled(model: "plants"))
                // The beginning is somebody's until the old transfer has let go of it.
                try await wait(while: { try !hasBeginning(ofSize: 150_000, in: folder) })
                let model = try await manager.download(Self.plants)
                #expect(try Data(contentsOf: model.url) == Self.file)
                #expect(server.requests.last?.headers.first(name: "range") == "bytes=150000-")
            }
        }
    }

    @Test func cancellingTheProgressCancelsTheDownload() async throws {
        let hub = LyingHub(Self.file)
        try await ScriptedServer.with { request, server in
            var reply = hub.reply(to: request, of: server)
            if request.path == "/file" {
                (reply.announcedLength, reply.body, reply.stalls) = (Self.file.count, Self.file.prefix(1), true)
            }
            return reply
        } _: { server in
            try await withTemporaryFolder { folder in
                let model = RemoteModel(name: "given_up")
                let errors = Notifications<DownloadError>(.modelDownloadDidFail, of: model, .error)
                let progress = try ModelManager.testing(server.address, folder: folder).startDownload(of: model)
                try await wait(while: { progress.completedUnitCount < 1 })
                progress.cancel()
                try await wait(while: { errors.all.isEmpty })
                #expect(errors.all == [.cancelled(model: "given_up")])
                #expect(!progress.isFinished)
            }
        }
    }

    @Test func twoManagersOfOneFolderDoNotDisturbEachOther() async throws {
        let hub = LyingHub(Self.file)
        try await ScriptedServer.with { request, server in
            var reply = hub.reply(to: request, of: server)
            reply.pieceSize = 10_000
            return reply
        } _: { server in
            try await withTemporaryFolder { folder in
                try await withThrowingTaskGroup(of: DownloadedModel.self) { group in
                    for _ in 0..<4 {
                        let manager = try ModelManager.testing(server.address, folder: folder)
                        group.addTask { try await manager.download(Self.plants) }
                    }
                    for try await model in group { #expect(try Data(contentsOf: model.url) == Self.file) }
                }
                #expect(contents(of: folder) == ["lock", "models/plants.json", "files/\(sha256(Self.file)).tflite"])
            }
        }
    }

    @Test func aMeteredLinkIsUsedOnlyIfThatIsAllowed() async throws {
        let hub = LyingHub(Self.file)
        try await ScriptedServer.with { request, server in
            hub.reply(to: request, of: server)
        } _: { server in
            try await withTemporaryFolder { folder in
                let network = FixedNetwork(isMetered: true)
                let manager = try ModelManager.testing(server.address, folder: folder, network: network)
                let conditions = ModelDownloadConditions(allowsCellularAccess: false)
                let error = try await failure { try await manager.download(Self.plants, conditions: conditions) }
                guard case .failedPrecondition("plants", _) = error else { throw error }
                #expect(server.requests.isEmpty)
                try await manager.download(Self.plants)
                // The one that is there costs nothing.
                try await manager.download(Self.plants, type: .localModel, conditions: conditions)
            }
        }
    }
}

/// Whether the beginning of a download lies there with so many bytes and nobody holds it.
private func hasBeginning(ofSize count: Int, in folder: URL) throws -> Bool {
    let path = folder.appending(path: "partial/\(sha256(fakeModel(1, byteCount: 200_000))).part").path
    let descriptor = open(path, O_RDWR | O_CLOEXEC)
    guard descriptor >= 0 else { return false }
    defer { close(descriptor) }
    guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else { return false }
    return try Data(contentsOf: URL(filePath: path)).count == count
}
