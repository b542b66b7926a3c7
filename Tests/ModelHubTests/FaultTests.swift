import Foundation
import HubTestSupport
import ModelHub
import SightlineTestSupport
import Synchronization
import Testing

/// Against servers that fail and lie.
@Suite(.hangLimit)
struct FaultTests {
    private static let plants = RemoteModel(name: "plants")
    private static let file = fakeModel(1, byteCount: 500_000)

    /// Runs a download against a server and checks that it ends with the file.
    private func succeeds(
        _ respond: @escaping @Sendable (ScriptedServer.Request, ScriptedServer) async -> ScriptedServer.Reply,
        _ check: (ScriptedServer) throws -> Void = { _ in }
    ) async throws {
        try await ScriptedServer.with(respond) { server in
            try await withTemporaryFolder { folder in
                let manager = try ModelManager.testing(server.address, folder: folder)
                let model = try await manager.download(Self.plants)
                #expect(try Data(contentsOf: model.url) == Self.file)
                try check(server)
            }
        }
    }

    /// Runs a download against a server, gives its error, and checks that nothing is installed.
    private func fails(
        _ respond: @escaping @Sendable (ScriptedServer.Request, ScriptedServer) async -> ScriptedServer.Reply,
        _ check: (DownloadError, ScriptedServer) throws -> Void
    ) async throws {
        try await ScriptedServer.with(respond) { server in
            try await withTemporaryFolder { folder in
                let manager = try ModelManager.testing(server.address, folder: folder)
                let error = try await failure { try await manager.download(Self.plants) }
                #expect(!manager.isModelDownloaded(Self.plants))
                #expect(!contents(of: folder).contains { $0.hasPrefix("files/") || $0.hasPrefix("models/") })
                try check(error, server)
            }
        }
    }

    @Test func theRequestSaysWhoAsksAndForWhat() async throws {
        let hub = LyingHub(Self.file)
        try await succeeds { request, server in
            hub.reply(to: request, of: server)
        } _: { server in
            let (info, file) = (try #require(server.requests.first), try #require(server.requests.last))
            #expect(info.path == LyingHub.infoPath)
            #expect(info.headers.first(name: "x-goog-api-key") == "key")
            #expect(info.headers.first(name: "x-ios-bundle-identifier") == "org.example.plants")
            #expect(info.headers.first(name: "if-none-match") == nil)
            #expect(file.path == "/file")
            #expect(file.headers.first(name: "x-goog-api-key") == nil)
        }
    }

    @Test func aServerThatAsksForTimeIsNotAskedBeforeItIsOver() async throws {
        try await ScriptedServer.with { _, _ in
            ScriptedServer.Reply(status: 503, headers: [("Retry-After", "3600")])
        } _: { server in
            try await withTemporaryFolder { folder in
                let manager = ModelManager(
                    configuration: try ModelManager.testing(server.address, folder: folder).configuration,
                    folder: folder,
                    retry: RetryPolicy(base: .milliseconds(1), maximum: .seconds(3600))
                )
                let download = Task { try await manager.download(Self.plants) }
                try await wait(while: { server.requests.isEmpty })
                // Without the wish the next request would come after a millisecond.
                try await Task.sleep(for: .milliseconds(100))
                download.cancel()
                #expect(try await failure { try await download.value } == .cancelled(model: "plants"))
                #expect(server.requests.count == 1)
            }
        }
    }

    @Test func anotherContentThanTheHashIsNotInstalled() async throws {
        var hub = LyingHub(Self.file)
        hub.hash = sha256(fakeModel(2))
        try await fails { [hub] request, server in
            hub.reply(to: request, of: server)
        } _: { error, _ in
            guard case .wrongContent("plants", _) = error else { throw error }
        }
    }

    @Test(arguments: [-1, 1])
    func anotherLengthThanTheSizeIsNotInstalled(_ difference: Int) async throws {
        var hub = LyingHub(Self.file)
        hub.size = "\(Self.file.count + difference)"
        try await fails { [hub] request, server in
            hub.reply(to: request, of: server)
        } _: { error, server in
            guard case .wrongContent("plants", _) = error else { throw error }
            #expect(server.count("/file") == 1)
        }
    }

    @Test(arguments: ["0", "-5", "x", "99999999999999999999", "9000000000000000000"])
    func aSizeThatNoModelHasIsAnError(_ size: String) async throws {
        var hub = LyingHub(Self.file)
        hub.size = size
        try await fails { [hub] request, server in
            hub.reply(to: request, of: server)
        } _: { error, server in
            guard case .internalError("plants", _) = error else { throw error }
            #expect(server.count("/file") == 0)
        }
    }

    @Test func aCutDownloadGoesOnWhereItStopped() async throws {
        let hub = LyingHub(Self.file)
        try await succeeds { request, server in
            var reply = hub.reply(to: request, of: server)
            if request.path == "/file", server.count("/file") == 1 { reply.cutAfter = 200_000 }
            return reply
        } _: { server in
            let files = server.requests.filter { $0.path == "/file" }
            #expect(files.count == 2)
            let range = try #require(files.last?.headers.first(name: "range"))
            let start = try #require(Int(range.dropFirst("bytes=".count).dropLast()))
            #expect((1...200_000).contains(start))
        }
    }

    @Test func aServerWithoutRangesSendsItAllAgain() async throws {
        let hub = LyingHub(Self.file)
        try await succeeds { request, server in
            guard request.path == "/file" else { return hub.reply(to: request, of: server) }
            return .init(body: Self.file, cutAfter: server.count("/file") == 1 ? 200_000 : nil)
        }
    }

    @Test func theNextCallGoesOnWhereTheLastOneGaveUp() async throws {
        let hub = LyingHub(Self.file)
        let isMended = Atomic(false)
        try await ScriptedServer.with { request, server in
            var reply = hub.reply(to: request, of: server)
            if request.path == "/file", !isMended.load(ordering: .relaxed) {
                if request.headers.first(name: "range") != nil { return .init(status: 503) }
                reply.cutAfter = 100_000
            }
            return reply
        } _: { server in
            try await withTemporaryFolder { folder in
                let error = try await failure {
                    try await ModelManager.testing(server.address, folder: folder).download(Self.plants)
                }
                guard case .unavailable("plants", _) = error else { throw error }
                isMended.store(true, ordering: .relaxed)
                let model = try await ModelManager.testing(server.address, folder: folder).download(Self.plants)
                #expect(try Data(contentsOf: model.url) == Self.file)
                #expect(server.requests.last?.headers.first(name: "range") != nil)
            }
        }
    }

    @Test func aBeginningThatIsDamagedIsFetchedAnew() async throws {
        let hub = LyingHub(Self.file)
        try await ScriptedServer.with { request, server in
            hub.reply(to: request, of: server)
        } _: { server in
            try await withTemporaryFolder { folder in
                let partial = folder.appending(path: "partial")
                try FileManager.default.createDirectory(at: partial, withIntermediateDirectories: true)
                let beginning = Data(repeating: 1, count: 1000)
                try beginning.write(to: partial.appending(path: "\(sha256(Self.file)).part"))
                let model = try await ModelManager.testing(server.address, folder: folder).download(Self.plants)
                #expect(try Data(contentsOf: model.url) == Self.file)
            }
        }
    }

    @Test func aPartThatWasNotAskedForIsNotTaken() async throws {
        let hub = LyingHub(Self.file)
        try await succeeds { request, server in
            var reply = hub.reply(to: request, of: server)
            if request.path == "/file", server.count("/file") == 1 { reply.cutAfter = 200_000 }
            if reply.status == 206 {
                reply.headers = [("Content-Range", "bytes 5-\(Self.file.count - 1)/\(Self.file.count)")]
            }
            return reply
        }
    }

    @Test(arguments: [500, 502, 503, 429])
    func passingFailuresAreTriedAgain(_ status: Int) async throws {
        let hub = LyingHub(Self.file)
        try await succeeds { request, server in
            server.requests.count < 4 ? .init(status: status) : hub.reply(to: request, of: server)
        }
    }

    @Test func lastingFailuresEndAfterSomeTries() async throws {
        try await fails { _, _ in
            .init(status: 500)
        } _: { error, server in
            guard case .unavailable("plants", _) = error else { throw error }
            #expect(server.requests.count == 5)
        }
    }

    /// A hub that restarts behind a proxy, one that is busy, and one whose disk is full.
    @Test(arguments: [408, 500, 502, 503, 504, 507])
    func aHubThatCannotAnswerNowIsNotCalledBroken(_ status: Int) async throws {
        try await fails { _, _ in
            .init(status: status)
        } _: { error, _ in
            guard case .unavailable("plants", _) = error else { throw error }
            #expect(error.description.contains("try again later"))
        }
    }

    /// More often than a download is tried again, but each time with more bytes.
    @Test func aDownloadThatProgressesIsNotGivenUp() async throws {
        let hub = LyingHub(Self.file)
        try await succeeds { request, server in
            var reply = hub.reply(to: request, of: server)
            if request.path == "/file", server.count("/file") < 12 { reply.cutAfter = 30_000 }
            return reply
        } _: { server in
            #expect(server.count("/file") > 2 * RetryPolicy().tries)
        }
    }

    @Test func aDownloadWithoutProgressIsGivenUp() async throws {
        let hub = LyingHub(Self.file)
        try await fails { request, server in
            var reply = hub.reply(to: request, of: server)
            if request.path == "/file" { reply.cutAfter = request.headers.first(name: "range") == nil ? 30_000 : 0 }
            return reply
        } _: { _, server in
            #expect((2...RetryPolicy().tries + 1).contains(server.count("/file")))
        }
    }

    @Test(arguments: [
        (400, "invalidArgument"), (401, "permissionDenied"), (403, "permissionDenied"), (404, "notFound"),
    ])
    func refusalsHaveTheirErrorsAndAreNotRepeated(_ status: Int, _ name: String) async throws {
        for path in [LyingHub.infoPath, "/file"] {
            let hub = LyingHub(Self.file)
            try await fails { request, server in
                request.path == path ? .init(status: status) : hub.reply(to: request, of: server)
            } _: { error, server in
                #expect("\(Mirror(reflecting: error).children.first?.label ?? "")" == name)
                // With 400 a hub also says that the address has expired, whatever this device's clock says.
                #expect(server.count(path) == (path == "/file" && status == 400 ? 2 : 1))
            }
        }
    }

    /// The end of the address lies behind the clock of this device, or ahead of it because that clock is wrong.
    @Test(arguments: ["2020-01-01T00:00:00.000Z", "2999-01-01T00:00:00.000Z"])
    func anAddressThatHasExpiredIsRenewedOnce(expireTime: String) async throws {
        var hub = LyingHub(Self.file)
        hub.expireTime = expireTime
        try await succeeds { [hub] request, server in
            if request.path == "/file", server.count("/file") == 1 { return .init(status: 400) }
            return hub.reply(to: request, of: server)
        } _: { server in
            #expect(server.count(LyingHub.infoPath) == 2)
        }
        try await fails { [hub] request, server in
            request.path == "/file" ? .init(status: 400) : hub.reply(to: request, of: server)
        } _: { error, server in
            guard case .invalidArgument("plants", _) = error else { throw error }
            #expect(server.count("/file") == 2)
        }
    }

    @Test func notModifiedWithoutAModelIsAnError() async throws {
        try await fails { _, _ in
            .init(status: 304, headers: [("ETag", sha256(Self.file))])
        } _: { error, _ in
            guard case .internalError("plants", _) = error else { throw error }
        }
    }

    @Test func notModifiedKeepsTheModelIfItIsTheSame() async throws {
        let hub = LyingHub(Self.file)
        let etag = Mutex(sha256(Self.file))
        try await ScriptedServer.with { request, server in
            guard request.headers.first(name: "if-none-match") != nil else { return hub.reply(to: request, of: server) }
            return .init(status: 304, headers: [("Etag", etag.withLock { $0 })])
        } _: { server in
            try await withTemporaryFolder { folder in
                let manager = try ModelManager.testing(server.address, folder: folder)
                let model = try await manager.download(Self.plants)
                #expect(try await manager.download(Self.plants) == model)
                #expect(server.count("/file") == 1)
                etag.withLock { $0 = sha256(fakeModel(2)) }
                let error = try await failure { try await manager.download(Self.plants) }
                guard case .internalError("plants", _) = error else { throw error }
                #expect(manager.downloadedModel(for: Self.plants) == model)
            }
        }
    }

    @Test func aServerThatSendsLittleAtATimeIsWaitedFor() async throws {
        let hub = LyingHub(Self.file)
        try await succeeds { request, server in
            var reply = hub.reply(to: request, of: server)
            reply.pieceSize = 5000
            return reply
        }
    }

    @Test(arguments: ["<html>", "{}", #"{"downloadUri":"ftp://x/y","sizeBytes":"5"}"#, ""])
    func whatIsNoAnswerOfAHubIsAnError(_ body: String) async throws {
        try await fails { _, _ in
            .init(headers: [("ETag", sha256(Self.file))], body: Data(body.utf8))
        } _: { error, _ in
            guard case .internalError("plants", _) = error else { throw error }
        }
    }

    @Test func anETagThatIsNoHashIsAnError() async throws {
        var hub = LyingHub(Self.file)
        hub.hash = "../../etc/passwd"
        try await fails { [hub] request, server in
            hub.reply(to: request, of: server)
        } _: { error, _ in
            guard case .internalError("plants", _) = error else { throw error }
        }
    }

    @Test func redirectsAreNotFollowed() async throws {
        try await fails { _, server in
            .init(status: 302, headers: [("Location", "\(server.address)/elsewhere")])
        } _: { error, server in
            guard case .internalError("plants", _) = error else { throw error }
            #expect(server.count("/elsewhere") == 0)
        }
    }

    @Test func aHubThatIsNotThereIsAFailedPrecondition() async throws {
        try await withTemporaryFolder { folder in
            let manager = try ModelManager.testing("http://127.0.0.1:1", folder: folder)
            let error = try await failure { try await manager.download(Self.plants) }
            guard case .failedPrecondition("plants", _) = error else { throw error }
        }
    }
}
