import Foundation
import HTTPServing
import HTTPTypes
import ModelHubServer
import NIOCore
import NIOPosix
import SightlineTestSupport
import Synchronization
import Testing

/// Connections that a client opens and leaves.
@Suite(.hangLimit)
struct ConnectionTests {
    /// The beginning of a request whose body does not end.
    private static let endless = "POST /token HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\na"
    private static let health = "GET /healthz HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"

    @Test func aClientHasNoMoreConnectionsThanItMay() async throws {
        try await TestHub.with { test in
            var options = HTTPService.Options.patient
            options.maximumConnectionsPerClient = 5
            try await test.serve(options) { client in
                // One is the test's own.
                _ = try await client.send(.get, "/healthz")
                let port = try #require(client.client.port)
                var held: [any Channel] = []
                for _ in 0..<5 { held.append(try await Self.hold(port, Self.endless)) }
                // Which one is refused is up to the event loops.
                await Self.firstToClose(of: held)
                #expect(held.count { $0.isActive } == 4)
                for channel in held { try? await channel.close() }
                var reply = ""
                while !reply.hasPrefix("HTTP/1.1 200") {
                    let socket = try await RawConnection.open(port: port)
                    reply = await socket.exchange(Self.health, until: "alive")
                }
            }
        }
    }

    @Test func aTrustedProxyHasAllConnections() async throws {
        try await TestHub.with { test in
            var options = HTTPService.Options.patient
            options.maximumConnectionsPerClient = 1
            options.trustsProxy = true
            try await test.serve(options) { client in
                let port = try #require(client.client.port)
                var held: [any Channel] = []
                for _ in 0..<3 { held.append(try await Self.hold(port, Self.endless)) }
                let socket = try await RawConnection.open(port: port)
                #expect(await socket.exchange(Self.health, until: "alive").hasPrefix("HTTP/1.1 200"))
                #expect(held.allSatisfy { $0.isActive })
                for channel in held { try? await channel.close() }
            }
        }
    }

    @Test func theRestOfABodyMustNotTrickleBehindAnAnswer() async throws {
        try await TestHub.with { test in
            try await test.serve { client in
                let port = try #require(client.client.port)
                let socket = try await RawConnection.open(port: port)
                await socket.drip(
                    "POST /nothing HTTP/1.1\r\nHost: x\r\nContent-Length: 100000\r\n\r\n",
                    "a",
                    every: .milliseconds(100),
                    for: .seconds(120)
                )
                #expect(await socket.isClosed)
            }
        }
    }

    @Test func anAnswerThatNobodyTakesEndsTheConnection() async throws {
        try await TestHub.with { test in
            var options = HTTPService.Options.patient
            options.maximumConnectionsPerClient = 2
            options.writeTimeout = .milliseconds(200)
            let address = try await Self.file(of: test)
            try await test.serve(options) { client in
                // One is the test's own.
                _ = try await client.send(.get, "/healthz")
                let port = try #require(client.client.port)
                // 32 MiB of answers: no socket's buffers hold them.
                let requests = String(repeating: "GET \(address) HTTP/1.1\r\nHost: x\r\n\r\n", count: 16)
                let idle = try await Self.hold(port, requests, autoRead: false)
                var reply = ""
                while !reply.hasPrefix("HTTP/1.1 200") {
                    let socket = try await RawConnection.open(port: port)
                    reply = await socket.exchange(Self.health, until: "alive")
                }
                try? await idle.close()
            }
        }
    }

    @Test func behindAnAnswerThatEndsTheConnectionNothingIsAnswered() async throws {
        try await TestHub.with { test in
            try await test.serve { client in
                let socket = try await RawConnection.open(port: try #require(client.client.port))
                let form = String(repeating: "a", count: 33_000)
                let reply = await socket.exchange(
                    "POST /token HTTP/1.1\r\nHost: x\r\nContent-Length: 33000\r\n\r\n\(form)\(Self.health)",
                    until: "alive"
                )
                #expect(reply.hasPrefix("HTTP/1.1 413"))
                #expect(!reply.contains("alive"))
            }
        }
    }

    /// As HAProxy's `httpchk` and Nagios's `check_http` ask. The end of the connection ends the response.
    @Test(arguments: ["/healthz", "/readyz", "/openapi.json"], ["", "Connection: keep-alive\r\n", "Host: x\r\n"])
    func aRequestOfHTTP10NeedsNoHost(_ path: String, _ fields: String) async throws {
        try await TestHub.with { test in
            try await test.serve { client in
                let socket = try await RawConnection.open(port: try #require(client.client.port))
                let reply = await socket.exchange("GET \(path) HTTP/1.0\r\n\(fields)\r\n", until: "no such text")
                #expect(reply.hasPrefix("HTTP/1.0 200"), "\(reply.prefix(300))")
                #expect(!reply.lowercased().contains("transfer-encoding"))
                #expect(reply.hasSuffix("}") || reply.hasSuffix("}\n"))
            }
        }
    }

    /// Otherwise the client takes the body for the next response.
    @Test(arguments: [
        "/openapi.json", "/console/sign-in", "/anything", "/storage/v1/b/my-plants.appspot.com/o/x", "/hub/v1/projects",
        "/v1beta2/projects/my-plants/models/plants:download",
    ])
    func aResponseToHEADHasTheLengthOfABodyAndNoBody(_ path: String) async throws {
        try await TestHub.with { test in
            try await test.serve { client in
                let socket = try await RawConnection.open(port: try #require(client.client.port))
                let reply = await socket.exchange(
                    "HEAD \(path) HTTP/1.1\r\nHost: x\r\n\r\n\(Self.health)",
                    until: "alive"
                )
                let parts = reply.split(separator: "\r\n\r\n")
                #expect(parts.count == 3 && parts.last?.contains("alive") == true, "\(reply)")
                let length = try #require(parts[0].firstMatch(of: /(?i)content-length: ([0-9]+)/)?.1)
                #expect(length != "0")
            }
        }
    }

    /// A client of HTTP/1.0 gets addresses at which it can reach the hub.
    @Test func withoutAHostTheHubAnswersWithItsOwnAddress() async throws {
        try await TestHub.with { test in
            try await test.serve { client in
                _ = try await client.publish("plants", file: fakeModel())
                let port = try #require(client.client.port)
                let socket = try await RawConnection.open(port: port)
                let request =
                    "GET /v1beta2/projects/\(TestHub.project)/models/plants:download?key=\(test.apiKey) HTTP/1.0\r\n\r\n"
                let reply = await socket.exchange(request, until: "no such text")
                #expect(reply.contains("http://127.0.0.1:\(port)/"), "\(reply.prefix(600))")
            }
        }
    }

    @Test(arguments: ["", "Host: a\r\nHost: b\r\n", "Host: a\r\nHost: a\r\n"])
    func aRequestHasOneHost(_ fields: String) async throws {
        try await TestHub.with { test in
            try await test.serve { client in
                let socket = try await RawConnection.open(port: try #require(client.client.port))
                let reply = await socket.exchange(
                    "GET /healthz HTTP/1.1\r\n\(fields)Connection: close\r\n\r\n",
                    until: "\r\n\r\n"
                )
                #expect(reply.hasPrefix("HTTP/1.1 400"))
            }
        }
    }

    @Test func aMalformedChunkIsTheClientsMistake() async throws {
        try await withTemporaryFolder { folder in
            let server = try await HubProgram.Server(data: folder)
            for target in ["/token", "/console/sign-in"] {
                let socket = try await RawConnection.open(port: server.port)
                let reply = await socket.exchange(
                    "POST \(target) HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\nnonsense\r\n\r\n",
                    until: "\r\n\r\n"
                )
                #expect(reply.hasPrefix("HTTP/1.1 400"), "\(target)")
            }
            #expect(try await server.stop() == 0)
            #expect(!server.log.contains(#""level":"error""#))
        }
    }

    @Test func theHubMayOpenAsManyFilesAsItNeeds() async throws {
        try await withTemporaryFolder { folder in
            let server = try await HubProgram.Server(data: folder, limits: "ulimit -S -n 256")
            let limits = try String(contentsOfFile: "/proc/\(server.process.processIdentifier)/limits", encoding: .utf8)
            let line = try #require(limits.split(separator: "\n").first { $0.hasPrefix("Max open files") })
            let numbers = line.split(separator: " ").compactMap { Int($0) }
            #expect(numbers.count == 2 && numbers[0] >= min(4224, numbers[1]))
            #expect(try await server.stop() == 0)
        }
    }

    /// Opens a connection, sends a text, and reads and forgets what comes back, if anything shall be read.
    private static func hold(_ port: Int, _ text: String, autoRead: Bool = true) async throws -> any Channel {
        let channel = try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .channelOption(.autoRead, value: autoRead)
            .connect(host: "127.0.0.1", port: port).get()
        try? await channel.writeAndFlush(ByteBuffer(string: text))
        return channel
    }

    private static func firstToClose(of channels: [any Channel]) async {
        let (closings, continuation) = AsyncStream.makeStream(of: Void.self)
        for channel in channels { channel.closeFuture.whenComplete { _ in continuation.yield() } }
        for await _ in closings { return }
    }

    /// Puts a file of 2 MiB on the hub; gives path and query of its address.
    private static func file(of test: TestHub) async throws -> String {
        let file = fakeModel(1, byteCount: 2 << 20)
        let key = test.apiKey
        let address = Mutex("")
        try await test.serve { client in
            _ = try await client.publish("plants", file: file)
            let info = try await client.send(.get, "\(TestClient.models)/plants:download?key=\(key)", token: .some(nil))
            let target = try requestTarget(info.text("downloadUri"))
            address.withLock { $0 = target }
        }
        return address.withLock { $0 }
    }
}
