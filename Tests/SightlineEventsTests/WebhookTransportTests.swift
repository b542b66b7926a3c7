import Foundation
import ModelHubProtocol
import SightlineEvents
import SightlineTestSupport
import Synchronization
import Testing

/// Events posted to a server on loopback.
@Suite(.hangLimit) struct WebhookTransportTests {
    private let retry = RetryPolicy(base: .milliseconds(1), maximum: .milliseconds(20))

    /// Answers with some statuses, one after the other, and with 200 from then on.
    private func server(_ answers: [LoopbackServer.Response] = []) throws -> LoopbackServer {
        let rest = Mutex(answers)
        return try LoopbackServer { _ in rest.withLock { $0.isEmpty ? LoopbackServer.Response() : $0.removeFirst() } }
    }

    private func status(_ status: Int, _ headers: [String: String] = [:]) -> LoopbackServer.Response {
        LoopbackServer.Response(status: status, headers: headers)
    }

    private func posted(_ server: LoopbackServer) -> [Int] {
        Events.ids(server.requests.map { String(decoding: $0.body, as: UTF8.self) })
    }

    @Test func postsAnArrayOfEvents() async throws {
        let server = try server()
        let transport = try WebhookTransport(server.address + "/hook?key=1")
        try await transport.deliver(Events.crossings(1...3))
        let request = try #require(server.requests.first)
        #expect(request.path == "/hook?key=1")
        #expect(request.headers["content-type"] == "application/json")
        #expect(request.headers["sightline-signature"] == nil)
        #expect(posted(server) == [1, 2, 3])
    }

    @Test func signsTheBodyWithTheSecret() async throws {
        let server = try server()
        let transport = try WebhookTransport(server.address, secret: "it's a secret")
        try await transport.deliver([Events.crossing(1)])
        let request = try #require(server.requests.first)
        let header = try #require(request.headers["sightline-signature"])
        // As a receiver checks it, in another language.
        let script = """
            import hashlib, hmac, sys
            header, secret, body = sys.argv[1], sys.argv[2].encode(), sys.stdin.buffer.read()
            parts = dict(part.split("=", 1) for part in header.split(","))
            expected = hmac.new(secret, parts["t"].encode() + b"." + body, hashlib.sha256).hexdigest()
            print(hmac.compare_digest(parts["v1"], expected))
            """
        let python = Program(URL(filePath: "/usr/bin/env"))
        let right = try await python.run(["python3", "-c", script, header, "it's a secret"], input: request.body)
        #expect(right.output == "True\n")
        let wrong = try await python.run(["python3", "-c", script, header, "another"], input: request.body)
        #expect(wrong.output == "False\n")
        let changed = try await python.run(
            ["python3", "-c", script, header, "it's a secret"],
            input: request.body + Data(" ".utf8)
        )
        #expect(changed.output == "False\n")
    }

    /// Cases 1, 2, 3 and 6 of RFC 4231.
    @Test(
        arguments: [
            (
                [UInt8](repeating: 0x0B, count: 20), Array("Hi There".utf8),
                "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7"
            ),
            (
                Array("Jefe".utf8), Array("what do ya want for nothing?".utf8),
                "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843"
            ),
            (
                [UInt8](repeating: 0xAA, count: 20), [UInt8](repeating: 0xDD, count: 50),
                "773ea91e36800e46854db8ebd09181a72959098b3ef8c122d9635514ced565fe"
            ),
            (
                [UInt8](repeating: 0xAA, count: 131),
                Array("Test Using Larger Than Block-Size Key - Hash Key First".utf8),
                "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54"
            ),
        ] as [([UInt8], [UInt8], String)]
    )
    func computesTheCodesOfItsStandard(key: [UInt8], message: [UInt8], code: String) {
        let found = WebhookSignature.authenticationCode(of: message, key: key)
        #expect(found.map { String($0 / 16, radix: 16) + String($0 % 16, radix: 16) }.joined() == code)
    }

    @Test func postsAgainAfterTemporaryFailures() async throws {
        let server = try server([status(500), status(408), status(429, ["Retry-After": "1"]), status(503)])
        let outbox = try await EventOutbox(WebhookTransport(server.address), retry: retry)
        await outbox.publish(Events.crossings(1...2))
        try await wait { await outbox.statistics.delivered < 2 }
        #expect(await outbox.finish(within: .seconds(60)) == 0)
        #expect(posted(server) == [1, 2, 1, 2, 1, 2, 1, 2, 1, 2])
    }

    @Test func waitsAsLongAsTheReceiverAsks() async throws {
        let server = try server([status(429, ["Retry-After": "7"]), status(503, ["Retry-After": "never"])])
        let transport = try WebhookTransport(server.address)
        await #expect(
            throws: EventError.unreachable(
                destination: server.address,
                reason: "it answered with status 429",
                retryAfter: .seconds(7)
            )
        ) { try await transport.deliver([Events.crossing(1)]) }
        await #expect(
            throws: EventError.unreachable(destination: server.address, reason: "it answered with status 503")
        ) { try await transport.deliver([Events.crossing(1)]) }
    }

    @Test(arguments: [400, 401, 404, 410, 413])
    func doesNotPostAgainWhatTheReceiverRefuses(code: Int) async throws {
        let server = try server([status(code)])
        let reports = Reports()
        let outbox = try await EventOutbox(WebhookTransport(server.address), retry: retry) { reports.add($0) }
        await outbox.publish([Events.crossing(1)])
        try await wait { await outbox.statistics.refused < 1 }
        #expect(await outbox.finish(within: .seconds(60)) == 1)
        #expect(server.requests.count == 1)
        #expect(
            reports.all == [
                "\(server.address) refused events: it answered with status \(code); check the address and the receiver."
            ]
        )
    }

    @Test(arguments: [400, 413, 422])
    func refusesOnlyTheEventThatTheReceiverRefusesAlone(code: Int) async throws {
        let server = try LoopbackServer { request in
            let ids = Events.ids([String(decoding: request.body, as: UTF8.self)])
            return LoopbackServer.Response(status: ids.contains(7) ? code : 200)
        }
        let outbox = try await EventOutbox(WebhookTransport(server.address), retry: retry)
        await outbox.publish(Events.crossings(1...30))
        #expect(await outbox.finish(within: .seconds(60)) == 1)
        #expect(await outbox.statistics.delivered == 29)
    }

    @Test func asksAReceiverThatRefusesItsSenderOnce() async throws {
        let server = try server(Array(repeating: status(401), count: 2))
        let outbox = try await EventOutbox(WebhookTransport(server.address), retry: retry)
        await outbox.publish(Events.crossings(1...30))
        #expect(await outbox.finish(within: .seconds(60)) == 30)
        #expect(server.requests.count == 1)
    }

    @Test func followsNoRedirect() async throws {
        let other = try server()
        let server = try server([.redirect(to: other.address + "/elsewhere", status: 307)])
        let transport = try WebhookTransport(server.address)
        await #expect(throws: EventError.self) { try await transport.deliver([Events.crossing(1)]) }
        #expect(other.requests.isEmpty)
    }

    @Test func givesUpOnAReceiverThatDoesNotAnswer() async throws {
        let server = try AnsweringServer([], closes: false)
        let transport = try WebhookTransport("http://127.0.0.1:\(server.port)/", timeout: .milliseconds(300))
        let error = await #expect(throws: EventError.self) { try await transport.deliver([Events.crossing(1)]) }
        guard case .unreachable = error else {
            Issue.record("\(error as Any)")
            return
        }
    }

    @Test func readsNoEndlessAnswer() async throws {
        let server = try server([LoopbackServer.Response(body: Data(count: 3 << 20))])
        let transport = try WebhookTransport(server.address)
        await #expect(throws: EventError.self) { try await transport.deliver([Events.crossing(1)]) }
    }

    @Test(arguments: [
        "ftp://host/x", "host/x", "https://user:hunter2@host/x", "https://", "https://ho st/", "https://host/a b",
    ])
    func refusesAddresses(text: String) throws {
        let error = #expect(throws: EventError.self) { try WebhookTransport(text) }
        #expect(error?.description.contains("hunter2") == false)
    }

    @Test func showsNeitherPathNorQueryOfAnAddress() throws {
        let transport = try WebhookTransport("https://example.org:8443/services/T0/B0?token=hunter2")
        #expect(transport.destination == "https://example.org:8443")
    }
}
