import Foundation
import TestSupport
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
}
