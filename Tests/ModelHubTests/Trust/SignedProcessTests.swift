import Foundation
import HubTestSupport
import ModelHubServer
import SightlineTestSupport
import Synchronization
import Testing

@testable import ModelHub

/// Processes that trust a key, and are killed between a manifest and its model.
@Suite(.hangLimit)
struct SignedProcessTests {
    private static let plants = RemoteModel(name: "plants")

    @Test func killedAtAnyMomentNoOlderVersionThanWhatWasSeenIsInstalled() async throws {
        let owner = Owner()
        @Sendable func file(_ number: Int) -> Data { fakeModel(number, byteCount: 300_000) }
        // Every second question is answered with a new version.
        let asked = Atomic(2)
        try await ScriptedServer.with { request, server in
            if let hash = request.path.split(separator: "=").last, request.path.contains(":manifest") {
                let newest = asked.load(ordering: .relaxed) / 2
                let number = (0...newest).last { sha256(file($0)) == hash } ?? newest
                let manifest = try? owner.signed(file(number), serial: Int64(number) + 1)
                return manifest.map { ScriptedServer.Reply(body: $0) } ?? ScriptedServer.Reply(status: 500)
            }
            if request.path.hasPrefix("/v1beta2/") {
                let number = asked.add(1, ordering: .relaxed).newValue / 2
                var reply = LyingHub(file(number)).info(to: request, of: server)
                let body = String(decoding: reply.body, as: UTF8.self)
                reply.body = Data(body.replacing("/file", with: "/file/\(number)").utf8)
                return reply
            }
            let number = request.path.split(separator: "/").last.flatMap { Int($0) } ?? 0
            var reply = LyingHub(file(number)).content(for: request)
            reply.pieceSize = 20_000
            return reply
        } _: { server in
            try await withTemporaryFolder { folder in
                var random = RepeatableRandom(seed: 2)
                var program = Program("DownloadProbe")
                program.environment["DOWNLOAD_PROBE_KEY"] = Base64URL.text(owner.key.publicKey)
                let store = DownloadedModels(folder: folder)
                var highest: Int64 = 0
                var wasThere = false
                for _ in 0..<20 {
                    _ = try await program.lines(
                        [server.address, "my-plants", "key", folder.path, "plants"],
                        killingAfter: Int.random(in: 1...3, using: &random),
                        pause: .microseconds(Int.random(in: 0...30_000, using: &random))
                    )
                    // The record is complete, and its number never falls.
                    let seen = try store.seenManifest(of: Self.plants)
                    let serial = seen.highest(of: [try owner.trusted]) ?? 0
                    #expect(serial >= highest)
                    highest = serial
                    let model = store.model(Self.plants)
                    if wasThere { #expect(model != nil) }
                    guard let model else { continue }
                    wasThere = true
                    #expect(sha256(try Data(contentsOf: model.url)) == model.hash)
                    let number = (0...Int(serial)).last { sha256(file($0)) == model.hash }
                    #expect(number.map { Int64($0) + 1 <= serial } == true)
                }
                #expect(wasThere && highest > 1)
                // An attacker who has the hub now replays what was signed before.
                let before = store.model(Self.plants)
                let replayed = try owner.signed(file(0), serial: highest - 1)
                try await HostileHub.with(file(0), manifest: replayed) { _, hostile, _ in
                    let manager = try owner.manager(hostile, folder)
                    let problem = try await problem { try await manager.download(Self.plants) }
                    #expect(problem == .older(serial: highest - 1, seen: highest))
                    #expect(manager.downloadedModel(for: Self.plants) == before)
                }
            }
        }
    }

    @Test func processesOfOneFolderNeverInstallAnOlderVersion() async throws {
        let owner = Owner()
        @Sendable func file(_ number: Int) -> Data { fakeModel(number, byteCount: 100_000) }
        let asked = Atomic(1)
        try await ScriptedServer.with { request, server in
            if let hash = request.path.split(separator: "=").last, request.path.contains(":manifest") {
                let newest = asked.load(ordering: .relaxed)
                let number = (0...newest).last { sha256(file($0)) == hash } ?? newest
                let manifest = try? owner.signed(file(number), serial: Int64(number) + 1)
                return manifest.map { ScriptedServer.Reply(body: $0) } ?? ScriptedServer.Reply(status: 500)
            }
            if request.path.hasPrefix("/v1beta2/") {
                let number = asked.add(1, ordering: .relaxed).newValue
                var reply = LyingHub(file(number)).info(to: request, of: server)
                let body = String(decoding: reply.body, as: UTF8.self)
                reply.body = Data(body.replacing("/file", with: "/file/\(number)").utf8)
                return reply
            }
            return LyingHub(file(request.path.split(separator: "/").last.flatMap { Int($0) } ?? 0)).content(
                for: request
            )
        } _: { server in
            try await withTemporaryFolder { folder in
                var program = Program("DownloadProbe")
                program.environment["DOWNLOAD_PROBE_KEY"] = Base64URL.text(owner.key.publicKey)
                let probe = program
                let arguments = [server.address, "my-plants", "key", folder.path, "plants"]
                try await withThrowingTaskGroup(of: Void.self) { group in
                    for _ in 0..<2 {
                        group.addTask { _ = try await probe.lines(arguments, killingAfter: 20) }
                    }
                    // Meanwhile the installed version only becomes newer.
                    let store = DownloadedModels(folder: folder)
                    var last = 0
                    while asked.load(ordering: .relaxed) < 30 {
                        if let hash = store.model(Self.plants)?.hash {
                            let newest = asked.load(ordering: .relaxed)
                            let number = try #require((0...newest).last { sha256(file($0)) == hash })
                            #expect(number >= last)
                            last = number
                        }
                        try await Task.sleep(for: .milliseconds(5))
                    }
                    try await group.waitForAll()
                }
            }
        }
    }
}
