import Foundation
import HTTPServing
import HTTPTypes
import Sightline
import SightlineTestSupport
import SightlineTesting
import Synchronization
import Testing

@testable import SightlineServer

@Suite(.hangLimit)
struct LimitTests {
    @Test func aPictureWithTooManyPixelsIsRefusedBeforeItIsDecoded() async throws {
        try await TestServer.with { server in
            let bomb = try Data(contentsOf: TestData.fixture("images/enormous.png"))
            let reply = try await server.send(.post, "/v1/detect", bomb)
            #expect(reply.status == 413)
            #expect(reply.error?.contains("exceeds the server's limit of 64000000 pixels; shrink it.") == true)
        }
    }

    @Test(arguments: [false, true])
    func aBodyWithTooManyBytesIsRefused(isForm: Bool) async throws {
        let limits = ImageLimits(maximumPixels: 1_000_000, maximumBytes: 1000)
        try await TestServer.with(options: { $0.pictures = limits }) { server in
            let body = Data(repeating: 1, count: 1001)
            let reply =
                isForm
                ? try await server.post("/v1/detect", files: [("a.png", body)])
                : try await server.send(.post, "/v1/detect", body)
            #expect(reply.status == 413)
            #expect(reply.headers[.connection] == "close")
        }
    }

    @Test func anEncodedBodyIsRefused() async throws {
        try await TestServer.with { server in
            let reply = try await server.send(
                .post,
                "/v1/detect",
                try TestScene.two.png(),
                headers: [.contentEncoding: "gzip"]
            )
            #expect(reply.status == 415)
        }
    }

    /// Takes all workers of a service until `body` ends.
    private func occupying(_ service: AnswerService, _ body: @escaping @Sendable () async throws -> Void) async throws {
        let (release, releasing) = AsyncStream.makeStream(of: Void.self)
        let (begun, beginning) = AsyncStream.makeStream(of: Void.self)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<service.options.workers {
                group.addTask {
                    try await service.queue.run(as: "test") {
                        beginning.yield()
                        for await _ in release { return }
                    }
                }
            }
            var starts = begun.makeAsyncIterator()
            for _ in 0..<service.options.workers { _ = await starts.next() }
            try await body()
            releasing.finish()
            try await group.waitForAll()
        }
    }

    @Test func beyondTheQueueRequestsGet503AndTheTimeToWait() async throws {
        try await TestServer.with(options: { ($0.workers, $0.waitingPictures) = (1, 1) }) { server in
            let picture = try TestScene.two.png()
            let service = server.service
            let waiting = Mutex<Task<DetectionAnswer, any Error>?>(nil)
            try await occupying(service) {
                waiting.withLock {
                    $0 = Task { try await service.detect(picture, client: AnswerClient(owner: "other")) }
                }
                try await wait { await service.queue.waitingCount == 0 }
                let refused = try await server.send(.post, "/v1/detect", picture)
                #expect(refused.status == 503)
                #expect(refused.headers[.retryAfter] == "1")
                let health = try await server.send(.get, "/healthz")
                #expect(health.status == 200)
            }
            // The picture that waited had its turn.
            let answer = try await waiting.withLock { $0 }?.value
            #expect(answer?.result.objects.count == 2)
        }
    }

    @Test func aPictureThatWaitsTooLongGets503() async throws {
        try await TestServer.with(options: { ($0.workers, $0.timeout) = (1, .milliseconds(300)) }) { server in
            let picture = try TestScene.two.png()
            try await occupying(server.service) {
                let reply = try await server.send(.post, "/v1/detect", picture)
                #expect(reply.status == 503)
                #expect(reply.error?.hasPrefix("The server had no time for the picture") == true)
                try await wait { await server.service.queue.waitingCount > 0 }
            }
        }
    }

    @Test func aClientThatLeavesFreesItsPlace() async throws {
        try await TestServer.with(options: { $0.workers = 1 }) { server in
            let picture = try TestScene.two.png()
            try await occupying(server.service) {
                let connection = try await RawConnection.open(port: try #require(server.client.port))
                let head = "POST /v1/detect HTTP/1.1\r\nHost: localhost\r\nContent-Length: \(picture.count)\r\n\r\n"
                try await connection.send(Data(head.utf8) + picture) {
                    try await wait { await server.service.queue.waitingCount == 0 }
                }
                try await wait { await server.service.queue.waitingCount > 0 }
            }
            let reply = try await server.send(.post, "/v1/detect", picture)
            #expect(reply.status == 200)
        }
    }

    @Test func bodiesShareAMemoryThatNoClientTakesAlone() throws {
        let memory = BodyMemory(limit: 100)
        var first: BodyMemory.Share? = memory.share(of: "a")
        try first?.take(50)
        #expect(throws: AnswerError.busy) { try memory.share(of: "a").take(1) }
        let second = memory.share(of: "b")
        try second.take(50)
        #expect(throws: AnswerError.busy) { try memory.share(of: "c").take(1) }
        first = nil
        #expect(memory.bytes == 50)
        try memory.share(of: "c").take(50)
    }

    @Test func afterManyRequestsNoMemoryOfBodiesIsTaken() async throws {
        try await TestServer.with { server in
            let picture = try TestScene.two.png()
            for _ in 0..<20 { _ = try await server.send(.post, "/v1/detect", picture) }
            _ = try await server.send(.post, "/v1/detect", Data("damaged".utf8))
            _ = try await server.post("/v1/detect", files: [("a", picture), ("b", picture)])
            try await wait { server.service.memory.bytes > 0 }
        }
    }
}
