import Foundation
import HubTestSupport
import ModelHub
import SightlineTestSupport
import Synchronization
import Testing

/// The fate of a process does not affect the models that it downloads.
@Suite(.hangLimit)
struct ProcessTests {
    private static let plants = RemoteModel(name: "plants")

    @Test func killedAtAnyMomentTheModelIsOldOrNewAndWhole() async throws {
        // Every second answer speaks of a new version, so that something is always being replaced, and sometimes gone on with.
        let asked = Atomic(0)
        @Sendable func version(_ number: Int) -> LyingHub { LyingHub(fakeModel(number, byteCount: 300_000)) }
        try await ScriptedServer.with { request, server in
            if request.path.hasPrefix("/v1beta2/") {
                let number = asked.add(1, ordering: .relaxed).newValue / 2
                var reply = version(number).info(to: request, of: server)
                let body = String(decoding: reply.body, as: UTF8.self)
                reply.body = Data(body.replacing("/file", with: "/file/\(number)").utf8)
                return reply
            }
            let number = request.path.split(separator: "/").last.flatMap { Int($0) } ?? 0
            var reply = version(number).content(for: request)
            reply.pieceSize = 20_000
            return reply
        } _: { server in
            try await withTemporaryFolder { folder in
                var random = RepeatableRandom(seed: 1)
                var wasThere = false
                for _ in 0..<20 {
                    _ = try await Program("DownloadProbe").lines(
                        [server.address, "my-plants", "key", folder.path, "plants"],
                        killingAfter: Int.random(in: 1...3, using: &random),
                        pause: .microseconds(Int.random(in: 0...30_000, using: &random))
                    )
                    let manager = try ModelManager.testing(server.address, folder: folder)
                    let model = manager.downloadedModel(for: Self.plants)
                    if wasThere { #expect(model != nil) }
                    if let model {
                        wasThere = true
                        let newest = asked.load(ordering: .relaxed) / 2
                        #expect((0...newest).contains { sha256(version($0).file) == model.hash })
                        #expect(sha256(try Data(contentsOf: model.url)) == model.hash)
                    }
                    for name in contents(of: folder) where name.hasPrefix("files/") {
                        let hash = sha256(try Data(contentsOf: folder.appending(path: name)))
                        #expect(name == "files/\(hash).tflite")
                    }
                }
                #expect(wasThere)
                try await ModelManager.testing(server.address, folder: folder).download(Self.plants)
            }
        }
    }

    @Test func processesOfOneFolderShareItsModelsAndItsId() async throws {
        // Each question speaks of a newer version, so that the processes always have different ones to install.
        let asked = Atomic(0)
        @Sendable func version(_ number: Int) -> LyingHub { LyingHub(fakeModel(number, byteCount: 100_000)) }
        try await ScriptedServer.with { request, server in
            if request.path.hasPrefix("/v1beta2/") {
                let number = asked.add(1, ordering: .relaxed).newValue
                var reply = version(number).info(to: request, of: server)
                reply.body = Data(
                    String(decoding: reply.body, as: UTF8.self).replacing("/file", with: "/file/\(number)").utf8
                )
                return reply
            }
            return version(request.path.split(separator: "/").last.flatMap { Int($0) } ?? 0).content(for: request)
        } _: { server in
            try await withTemporaryFolder { folder in
                let arguments = [server.address, "my-plants", "key", folder.path, "plants"]
                let outputs = try await withThrowingTaskGroup(of: [String].self) { group in
                    for _ in 0..<2 {
                        group.addTask { try await Program("DownloadProbe").lines(arguments, killingAfter: 30) }
                    }
                    return try await group.reduce(into: []) { $0.append($1) }
                }
                let manager = try ModelManager.testing(server.address, folder: folder)
                let id = try manager.installationID
                for lines in outputs {
                    #expect(lines.first == "started \(id)")
                    #expect(lines.count >= 30 && lines.dropFirst().allSatisfy { $0.hasPrefix("model ") }, "\(lines)")
                }
                let model = try #require(manager.downloadedModel(for: Self.plants))
                #expect(outputs.joined().contains("model \(model.hash)"))
                for name in contents(of: folder) where name.hasPrefix("files/") {
                    let hash = sha256(try Data(contentsOf: folder.appending(path: name)))
                    #expect(name == "files/\(hash).tflite")
                }
            }
        }
    }

    @Test func aFullDiskIsSaidAndLeavesNothingBehind() async throws {
        let hub = LyingHub(fakeModel(1, byteCount: 500_000))
        try await ScriptedServer.with { request, server in
            hub.reply(to: request, of: server)
        } _: { server in
            try await withTemporaryFolder { folder in
                let lines = try await Program("DownloadProbe").lines(
                    [server.address, "my-plants", "key", folder.path, "plants", "100000"]
                )
                #expect(lines.count == 1)
                #expect(lines.first?.hasPrefix("error The disk is full") == true)
                #expect(contents(of: folder).isEmpty)
            }
        }
    }

    @Test func aFolderThatCannotBeWrittenIsSaidAsThat() async throws {
        let hub = LyingHub(fakeModel())
        try await ScriptedServer.with { request, server in
            hub.reply(to: request, of: server)
        } _: { server in
            try await withTemporaryFolder { folder in
                // A file where a folder has to be, since permissions do not stop an administrator.
                try Data().write(to: folder.appending(path: "files"))
                let manager = try ModelManager.testing(server.address, folder: folder)
                let error = try await failure { try await manager.download(Self.plants) }
                guard case .fileAccess(let path, _) = error else { throw error }
                #expect(path == folder.appending(path: "files").path)
            }
        }
    }
}
