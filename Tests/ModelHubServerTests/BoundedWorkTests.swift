import Foundation
import HTTPServing
import HTTPTypes
import NIOCore
import SightlineTestSupport
import Synchronization
import Testing

@testable import ModelHubServer

/// Strangers cause little work.
@Suite(.hangLimit)
struct BoundedWorkTests {
    @Test func aFetchWithoutAKeyIsRefusedBeforeItsBodyIsRead() async throws {
        try await TestHub.with { test in
            try await test.serve { client in
                let port = try #require(client.client.port)
                let socket = try await RawConnection.open(port: port)
                // Nothing of the body follows.
                let reply = await socket.exchange(
                    "POST /v1/projects/my-plants/namespaces/firebase:fetch HTTP/1.1\r\nHost: x\r\nContent-Length: 1000\r\n\r\n",
                    until: "\r\n\r\n"
                )
                #expect(reply.hasPrefix("HTTP/1.1 403"))
            }
        }
    }

    @Test(arguments: [("/token", 33_000), ("/console/sign-in", 17_000)])
    func formsOfStrangersAreSmall(_ target: String, byteCount: Int) async throws {
        try await TestHub.with { test in
            try await test.serve { client in
                let small = try await client.send(.post, target, body: Data("a=b".utf8), token: .some(nil))
                #expect(small.status == 400 || small.status == 401)
                let body = Data(repeating: UInt8(ascii: "+"), count: byteCount)
                let large = try await client.send(.post, target, body: body, token: .some(nil))
                #expect(large.status == 413)
                // The rest of the body need not be read.
                #expect(large.headers[.connection] == "close")
            }
        }
    }

    @Test(arguments: ["/token", "/console/sign-in"])
    func aFormHasNoNUL(_ target: String) async throws {
        try await TestHub.with { test in
            try await test.serve { client in
                let reply = try await client.send(.post, target, body: Data("token=a%00b".utf8), token: .some(nil))
                #expect(reply.status == 400)
                #expect(String(decoding: reply.body, as: UTF8.self).contains("invalid argument"))
            }
        }
    }

    @Test func aLargeFetchCostsMoreThanARequest() async throws {
        try await TestHub.with { test in
            var options = HTTPService.Options.patient
            // A burst of 10 that is never filled again.
            options.rateLimit = 0.001
            let key = test.apiKey
            try await test.serve(options) { client in
                let body = Data((#"{"a":""# + String(repeating: "a", count: 80_000) + #""}"#).utf8)
                let target = "/v1/projects/my-plants/namespaces/firebase:fetch?key=\(key)"
                let large = try await client.send(.post, target, body: body, token: .some(nil))
                #expect(large.status == 200)
                let next = try await client.send(.get, "/healthz", token: .some(nil))
                #expect(next.status == 429)
            }
        }
    }

    @Test func aDiskThatHangsDoesNotHoldUpOthers() async throws {
        let gate = Gate()
        try await TestHub.with(blobs: { HangingBlobStore(files: try FileBlobStore(folder: $0), gate: gate) }) { test in
            let key = test.apiKey
            try await test.serve { client in
                _ = try await client.publish("plants", file: fakeModel())
                let info = try await client.send(
                    .get,
                    "\(TestClient.models)/plants:download?key=\(key)",
                    token: .some(nil)
                )
                let target = try requestTarget(info.text("downloadUri"))
                gate.close()
                // More than there are event loops.
                let downloads = (0..<System.coreCount * 2 + 2).map { _ in
                    Task { try await client.send(.get, target, token: .some(nil)).status }
                }
                try await wait(while: { gate.waiting == 0 })
                let port = try #require(client.client.port)
                let socket = try await RawConnection.open(port: port)
                let reply = await socket.exchange("GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n", until: "alive")
                #expect(reply.hasPrefix("HTTP/1.1 200"))
                gate.open()
                for download in downloads { #expect(try await download.value == 200) }
                #expect(!gate.gaveUp)
            }
        }
    }
}

/// The gate at which readers of a ``HangingBlobStore`` wait.
private final class Gate: Sendable {
    private struct State {
        var isClosed = false
        var waiting = 0
        var gaveUp = false
    }

    private let state = Mutex(State())

    var waiting: Int { state.withLock { $0.waiting } }
    /// Whether a reader waited so long that the others must have been held up.
    var gaveUp: Bool { state.withLock { $0.gaveUp } }

    func close() { state.withLock { $0.isClosed = true } }
    func open() { state.withLock { $0.isClosed = false } }

    func pass() {
        state.withLock { $0.waiting += 1 }
        for _ in 0..<6000 {
            if !state.withLock({ $0.isClosed }) { return }
            Thread.sleep(forTimeInterval: 0.01)
        }
        state.withLock { $0.gaveUp = true }
    }
}

/// A disk whose reads hang while a gate is closed.
private struct HangingBlobStore: BlobStore {
    let files: FileBlobStore
    let gate: Gate

    func open(_ hash: BlobHash) async throws -> StoredFile {
        try await DiskThreads.run { gate.pass() }
        return try await files.open(hash)
    }

    func store(fileAt url: URL, as hash: BlobHash) async throws { try await files.store(fileAt: url, as: hash) }
    func remove(_ hash: BlobHash) async throws { try await files.remove(hash) }
    func contents() async throws -> [StoredBlob] { try await files.contents() }
}
