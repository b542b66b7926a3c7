import Foundation
import HTTPServing
import HTTPTypes
import Sightline
import SightlineTestSupport
import SightlineTesting
import Testing

@testable import SightlineServer

/// Before the token of a server, little is read.
@Suite(.hangLimit)
struct StrangerTests {
    private static let token = "a-token-of-many-letters"
    private static let path = "/v1/vision/detection"

    /// The beginning of a form, which claims to be long.
    private static func form(_ parts: String, headers: String = "") -> Data {
        Data(
            """
            POST \(path) HTTP/1.1\r
            Host: localhost\r
            Content-Type: multipart/form-data; boundary=b\r
            Content-Length: 150000\r
            \(headers)\r
            \(parts)
            """.utf8
        )
    }

    private static func field(_ value: String) -> String {
        "--b\r\nContent-Disposition: form-data; name=\"api_key\"\r\n\r\n\(value)\r\n"
    }

    private static let file = "--b\r\nContent-Disposition: form-data; name=\"image\"; filename=\"a\"\r\n\r\n"

    @Test func aWrongKeyBeforeThePictureEndsTheForm() async throws {
        try await TestServer.with(token: Self.token) { server in
            let port = try #require(server.client.port)
            let parts = Self.field("another") + Self.file + String(repeating: "x", count: 1000)
            let reply = try await RawConnection.reply(to: Self.form(parts), port: port)
            #expect(reply.hasPrefix("HTTP/1.1 401"), "\(reply)")
        }
    }

    @Test(arguments: ["image/jpeg", "application/json", "application/x-www-form-urlencoded"])
    func aBodyThatIsNoFormIsNotReadWithoutTheToken(type: String) async throws {
        try await TestServer.with(token: Self.token) { server in
            let port = try #require(server.client.port)
            let head =
                "POST \(Self.path) HTTP/1.1\r\nHost: localhost\r\nContent-Type: \(type)\r\nContent-Length: 9000\r\n\r\n"
            let reply = try await RawConnection.reply(to: Data(head.utf8), port: port)
            #expect(reply.hasPrefix("HTTP/1.1 401"), "\(reply)")
        }
    }

    @Test func bodiesOfStrangersTakeNoMemoryFromTheOwnersOfTheToken() async throws {
        let limit = 400_000
        try await TestServer.with(
            token: Self.token,
            options: { ($0.bodyBytes, $0.pictures.maximumBytes) = (limit, 100_000) }
        ) { server in
            let port = try #require(server.client.port)
            // As much as one address may take, twice.
            let part = Self.form(Self.file + String(repeating: "x", count: 20_000))
            let picture = try TestScene.two.png()
            let (first, second) = (
                try await RawConnection.open(port: port), try await RawConnection.open(port: port)
            )
            try await first.send(part) {
                try await second.send(part) {
                    try await wait { server.service.strangersMemory.bytes < 20_000 }
                    #expect(server.service.strangersMemory.bytes <= limit / 8)
                    #expect(server.service.memory.bytes == 0)
                    let right: HTTPFields = [.authorization: "Bearer \(Self.token)"]
                    #expect(try await server.send(.post, "/v1/detect", picture, headers: right).status == 200)
                }
            }
            try await wait { server.service.strangersMemory.bytes > 0 }
        }
    }

    @Test func aPictureBeforeItsKeyHasALimit() async throws {
        try await TestServer.with(token: Self.token, options: { $0.bodyBytes = 400_000 }) { server in
            let port = try #require(server.client.port)
            let part = Self.form(Self.file + String(repeating: "x", count: 60_000))
            let reply = try await RawConnection.reply(to: part, port: port)
            #expect(reply.hasPrefix("HTTP/1.1 503"), "\(reply)")
            // With the key before it, the same picture is read to its end.
            let known = Self.form(Self.field(Self.token) + Self.file + String(repeating: "x", count: 60_000))
            let connection = try await RawConnection.open(port: port)
            try await connection.send(known) { try await wait { server.service.memory.bytes < 60_000 } }
        }
    }
}
