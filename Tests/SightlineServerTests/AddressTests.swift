import Foundation
import HTTPServing
import HTTPTypes
import NIOCore
import SightlineTestSupport
import SightlineTesting
import Synchronization
import Testing

@testable import SightlineServer

@Suite(.hangLimit)
struct AddressTests {
    @Test(arguments: [
        ("93.184.215.14", true), ("8.8.8.8", true), ("2606:2800:21f:cb07::1", true), ("127.0.0.1", false),
        ("10.1.2.3", false), ("172.16.0.1", false), ("172.32.0.1", true), ("192.168.1.1", false),
        ("169.254.169.254", false),
        ("100.64.0.1", false), ("0.0.0.0", false), ("224.0.0.1", false), ("255.255.255.255", false), ("::1", false),
        ("::ffff:127.0.0.1", false), ("::ffff:8.8.8.8", true), ("fe80::1", false), ("fd00::1", false),
        ("64:ff9b::a00:1", false), ("2002:a00:1::1", false), ("2001:db8::1", false), ("::", false),
    ])
    func addressesOfThePublicInternetAreKnown(_ text: String, _ isPublic: Bool) throws {
        let address = try #require(NetworkAddress(try SocketAddress(ipAddress: text, port: 80)))
        #expect(address.isPublic == isPublic)
    }

    @Test func hostsAreAllowedByNameOrPattern() throws {
        let hosts = try #require(AllowedHosts(["nas.local", "*.example.org"]))
        #expect(hosts.right(of: "NAS.local") == .anyAddress)
        #expect(hosts.right(of: "a.b.example.org") == .publicAddress)
        #expect(hosts.right(of: "example.org") == nil)
        #expect(hosts.right(of: "badexample.org") == nil)
        #expect(AllowedHosts(["https://example.org"]) == nil)
        let port = try #require(AllowedHosts(["nas.local:8080"]))
        #expect(port.right(of: "nas.local", port: 8080) == .anyAddress)
        #expect(port.right(of: "nas.local", port: 80) == nil && port.right(of: "nas.local") == nil)
        for text in ["nas.local:", "nas.local:x", "nas.local:0", "nas.local:70000", ":80"] {
            #expect(AllowedHosts([text]) == nil, "\(text)")
        }
        #expect(try #require(AllowedHosts(["*"])).right(of: "anything") == .publicAddress)
    }

    private func ask(_ server: TestServer, _ url: String) async throws -> Reply {
        try await server.send(
            .post,
            "/v1/detect",
            Data(#"{"url":"\#(url)"}"#.utf8),
            headers: [.contentType: "application/json"]
        )
    }

    @Test func aPictureIsReadFromAnAllowedHost() async throws {
        let picture = try TestScene.two.png()
        let web = try LoopbackServer { request in
            request.path == "/moved" ? .redirect(to: "/a.png") : .init(body: picture)
        }
        try await TestServer.with(hosts: ["127.0.0.1"]) { server in
            for path in ["a.png", "moved"] {
                let found = try await ask(server, "\(web.address)/\(path)").json(FoundObjects.self)
                #expect(Set(found.names) == ["red", "green"])
                #expect(found.image == "\(web.address)/\(path)")
            }
        }
    }

    @Test func aHostWithAPortIsAllowedAtThatPortAlone() async throws {
        let picture = try TestScene.two.png()
        let web = try LoopbackServer { _ in .init(body: picture) }
        let other = try LoopbackServer { _ in .init(body: picture) }
        let port = web.address.split(separator: ":").last ?? ""
        try await TestServer.with(hosts: ["127.0.0.1:\(port)"]) { server in
            let (allowed, refused) = (
                try await ask(server, "\(web.address)/a.png"), try await ask(server, "\(other.address)/a.png")
            )
            #expect(allowed.status == 200 && refused.status == 403)
        }
        #expect(other.requests.isEmpty)
    }

    @Test func slowNameServersHoldUpNoPicture() async throws {
        let hasEnded = Mutex(false)
        defer { hasEnded.withLock { $0 = true } }
        let lookUps = NameLookUps { _ in
            while !hasEnded.withLock({ $0 }) { usleep(2000) }
            return []
        }
        let picture = try TestScene.two.png()
        try await TestServer.with(hosts: ["*"], options: { $0.nameLookUps = lookUps }) { server in
            let service = server.service
            // The client of a test has a single connection.
            @Sendable func fetch(_ number: Int) async -> HTTPResponse.Status {
                let share = service.memory.share(of: "test")
                let address = "http://slow-\(number).example.org/a.png"
                do throws(AnswerError) {
                    _ = try await service.fetcher.picture(at: address, for: AnswerClient(owner: "a"), share: share)
                    return .ok
                } catch {
                    return error.status
                }
            }
            await withTaskGroup(of: HTTPResponse.Status.self) { group in
                for number in 0..<8 { group.addTask { await fetch(number) } }
                // Four of a client wait; the others find no place.
                for _ in 0..<4 {
                    let status = await group.next()
                    #expect(status == .serviceUnavailable)
                }
                let answered = try? await server.send(.post, "/v1/detect", picture).status
                #expect(answered == 200)
                for await status in group { #expect(status == .badRequest) }
            }
        }
    }

    @Test func noRequestReachesANetworkThatIsNotAllowed() async throws {
        let inner = try LoopbackServer { _ in .init(body: Data("secret".utf8)) }
        try await TestServer.with { server in
            let refused = try await ask(server, inner.address)
            #expect(refused.status == 403)
        }
        // A pattern allows public addresses only.
        try await TestServer.with(hosts: ["*"]) { server in
            for url in [
                inner.address, "http://localhost:1/", "http://[::1]/", "http://0x7f000001/", "http://2130706433/",
            ] {
                let refused = try await ask(server, url)
                #expect(refused.status == 403, "\(url)")
            }
            let file = try await ask(server, "file:///etc/passwd")
            #expect(file.status == 400)
        }
        #expect(inner.requests.isEmpty)
    }

    @Test func aRedirectIsCheckedLikeTheFirstAddress() async throws {
        let inner = try LoopbackServer { _ in .init(body: Data("secret".utf8)) }
        let port = inner.address.split(separator: ":").last ?? ""
        let outer = try LoopbackServer { _ in .redirect(to: "http://localhost:\(port)/") }
        try await TestServer.with(hosts: ["127.0.0.1"]) { server in
            let reply = try await ask(server, outer.address)
            #expect(reply.status == 403)
            #expect(reply.error?.contains("localhost") == true)
        }
        #expect(inner.requests.isEmpty)
    }

    @Test func aLargeOrMissingPictureOfAnAddressIsRefused() async throws {
        let web = try LoopbackServer { request in
            request.path == "/large" ? .init(body: Data(repeating: 1, count: 5000)) : .init(status: 404)
        }
        try await TestServer.with(hosts: ["127.0.0.1"], options: { $0.pictures.maximumBytes = 1000 }) { server in
            let missing = try await ask(server, "\(web.address)/missing")
            #expect(missing.error == "The server of the picture's address answered 404; check the address.")
            // A large picture ends the connection.
            let large = try await ask(server, "\(web.address)/large")
            #expect(large.status == 413)
        }
    }
}
