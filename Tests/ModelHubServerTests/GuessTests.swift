import AsyncHTTPClient
import Foundation
import HTTPTypes
import ModelHubServer
import SightlineTestSupport
import Testing

/// Clients that try tokens, keys and signatures are slowed down.
@Suite(.hangLimit)
struct GuessTests {
    private static let info = "\(TestClient.models)/plants:download"

    @Test func behindTooManyWrongTokensTheRightOneIsAccepted() async throws {
        try await TestHub.with { test in
            try await test.serve { client in
                try await Self.guess(wrong: 401) { number in
                    try await client.send(.get, TestClient.models, token: "slt_\(number)")
                }
                #expect(try await client.send(.get, TestClient.models).status == 200)
                #expect(try await client.send(.get, "/healthz", token: .some(nil)).status == 200)
            }
        }
    }

    @Test func pagesOfOtherSitesLockNobodyOut() async throws {
        try await TestHub.with { test in
            try await test.serve { client in
                for number in 0..<120 {
                    let reply = try await client.send(
                        .get,
                        "\(Self.info)?key=AIza\(number)",
                        headers: [.fetchSite: "cross-site"],
                        token: .some(nil)
                    )
                    #expect(reply.status == 403)
                }
                let reply = try await client.send(.get, "\(Self.info)?key=AIzaOwn", token: .some(nil))
                #expect(reply.status == 403)
            }
        }
    }

    @Test func theMetricsAreNotForPagesWhoseHostClaimsToBeThisMachine() async throws {
        try await withTemporaryFolder { folder in
            let server = try await HubProgram.Server(data: folder)
            for (host, status) in [("localhost:\(server.port)", 200), ("rebound.example.org", 403)] {
                var request = HTTPClientRequest(url: "http://127.0.0.1:\(server.port)/metrics")
                request.headers.add(name: "host", value: host)
                let reply = try await HTTPClient.shared.execute(request, timeout: .seconds(300))
                #expect(Int(reply.status.code) == status, "\(host)")
            }
            #expect(try await server.stop() == 0)
        }
    }

    @Test func anAddressNamesTheMethodsThatItTakes() async throws {
        try await TestHub.with { test in
            try await test.serve { client in
                let reply = try await client.send(.delete, Self.info)
                #expect(reply.status == 405 && reply.headers[.allow]?.contains("GET") == true)
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
