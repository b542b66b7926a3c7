import AsyncHTTPClient
import Foundation
import HTTPTypes
import SightlineTestSupport
import Testing

@testable import ModelHubServer

/// Clients that try tokens, keys and signatures are slowed down.
@Suite(.hangLimit)
struct GuessTests {
    private static let info = "\(TestClient.models)/plants:download"

    @Test func behindTooManyWrongTokensTheRightOneIsRefusedToo() async throws {
        try await TestHub.with { test in
            try await test.serve { client in
                // The right token comes between wrong ones: however slowly requests come, it meets the limit.
                var (number, status) = (0, 200)
                while number < 2000, status == 200 {
                    number += 1
                    let wrong = try await client.send(.get, TestClient.models, token: "slt_\(number)")
                    #expect([401, 429].contains(wrong.status))
                    status = try await client.send(.get, TestClient.models).status
                }
                #expect(status == 429)
                #expect(number > 30)
                #expect(try await client.send(.get, "/healthz", token: .some(nil)).status == 200)
            }
        }
    }

    @Test func wrongKeysAreSlowedDown() async throws {
        try await TestHub.with { test in
            try await test.serve { client in
                try await Self.guess(wrong: 403) { number in
                    try await client.send(.get, Self.info, headers: [.apiKey: "AIza\(number)"], token: .some(nil))
                }
            }
        }
    }

    @Test func wrongSignaturesAreSlowedDown() async throws {
        try await TestHub.with { test in
            try await test.serve { client in
                let file = "/files/\(sha256(fakeModel()))/plants.tflite?model=1&expires=99999999999999"
                try await Self.guess(wrong: 403) { number in
                    try await client.send(.get, "\(file)&signature=\(number)", token: .some(nil))
                }
            }
        }
    }

    @Test func anAppWhoseKeyWasRevokedDoesNotLockOutOthers() async throws {
        try await TestHub.with { test in
            let key = test.apiKey
            try await test.serve { client in
                _ = try await client.publish("plants", file: fakeModel())
                for _ in 0..<120 {
                    let reply = try await client.send(
                        .get,
                        Self.info,
                        headers: [.apiKey: "AIzaRevoked"],
                        token: .some(nil)
                    )
                    #expect(reply.status == 403)
                }
                let reply = try await client.send(.get, Self.info, headers: [.apiKey: key], token: .some(nil))
                #expect(reply.status == 200)
            }
        }
    }

    @Test func wrongCredentialsLeaveALineAMinute() async throws {
        try await withTemporaryFolder { folder in
            let server = try await HubProgram.Server(data: folder)
            for number in 0..<20 {
                let url = "http://127.0.0.1:\(server.port)\(Self.info)?key=\(number)"
                let reply = try await HTTPClient.shared.execute(HTTPClientRequest(url: url), timeout: .seconds(300))
                #expect(reply.status == .forbidden)
            }
            #expect(try await server.stop() == 0)
            let lines = server.log.split(separator: "\n").filter { $0.contains("wrong credentials") }
            #expect((1...2).contains(lines.count))
            #expect(lines.first?.contains(#""level":"notice""#) == true)
            #expect(lines.first?.contains(#""peer":"127.0.0.1""#) == true)
        }
    }

    /// Sends requests with other credentials until one is refused for their number.
    private static func guess(wrong status: Int, _ send: (Int) async throws -> TestReply) async throws {
        var statuses: [Int] = []
        // However slowly they come, more than are allowed in that time.
        while statuses.count < 2000, statuses.last != 429 { statuses.append(try await send(statuses.count).status) }
        #expect(statuses.last == 429)
        #expect(statuses.dropLast().allSatisfy { $0 == status })
        #expect(statuses.count > 30)
    }
}
