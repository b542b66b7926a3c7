import AsyncHTTPClient
import Foundation
import HTTPServing
import HubTestSupport
import NIOCore
import NIOHTTP1
import SightlineTestSupport
import Testing

@testable import ModelHubServer

@Suite(.hangLimit)
struct RobustnessTests {
    @Test func aServerThatIsKilledAtRandomMomentsLosesNothing() async throws {
        let result = try await HubProgram.run(
            [
                TestData.package.appending(path: "Scripts/tools").path, "kill", "hub", "--kills", "6", "--seed", "7",
                "--executable", HubProgram.executable.path,
            ],
            executable: URL(filePath: "/usr/bin/env")
        )
        #expect(result.status == 0, "\(result.errors)")
        #expect(result.output.contains("6 kills"))
    }

    @Test func aFullDiskRefusesUploadsAndHarmsNothing() async throws {
        try await withSmallDisk { hub, server, send in
            let path = "\(Self.objects)?uploadType=media&name=x"
            let reply = try await send(.POST, path, [:], fakeModel(1, byteCount: 6_000_000))
            #expect(reply.status.code == 503 && reply.headers.first(name: "Retry-After") == "30")
            let text = String(buffer: try await reply.body.collect(upTo: 1 << 20))
            #expect(text.contains("The hub's disk is full; free some space on it, then try again."))
            #expect(try await send(.POST, path, [:], fakeModel(2)).status == .ok)
            #expect(try await server.stop() == 0)
            let found = try await hub.verify()
            #expect(found.intactFiles == 1 && found.unreferencedFiles == 0 && found.problems == [])
            #expect(try FileManager.default.contentsOfDirectory(atPath: hub.uploads.path).isEmpty)
        }
    }

    @Test func anUploadInPiecesOutlastsAFullDisk() async throws {
        try await withSmallDisk { _, server, send in
            let begun = try await send(.POST, "\(Self.objects)?uploadType=resumable&name=x", [:], Data())
            let location = try #require(begun.headers.first(name: "Location").flatMap { URL(string: $0) })
            let path = "\(location.path)?\(location.query ?? "")"
            let file = fakeModel(1, byteCount: 3_000_000)
            func put(_ start: Int, _ end: Int) async throws -> HTTPClientResponse {
                let range = "bytes \(start)-\(end - 1)/\(file.count)"
                return try await send(.PUT, path, ["Content-Range": range], Data(file[start..<end]))
            }
            #expect(try await put(0, 1_000_000).status.code == 308)
            #expect(try await put(1_000_000, 3_000_000).status == .serviceUnavailable)
            let state = try await send(.PUT, path, ["Content-Range": "bytes */\(file.count)"], Data())
            let known = state.headers.first(name: "Range").flatMap { $0.split(separator: "-").last }.flatMap { Int($0) }
            #expect(state.status.code == 308 && known ?? 0 >= 999_999)
            #expect(try await server.stop() == 0)
        }
    }

    private static let objects = "/upload/storage/v1/b/my-plants.appspot.com/o"

    /// Calls `body` with a hub, the server of its folder on a disk that has no room for a file of more than 2 MB, and a
    /// function that sends requests to the server.
    private func withSmallDisk(
        _ body: (
            Hub, HubProgram.Server, (HTTPMethod, String, [String: String], Data) async throws -> HTTPClientResponse
        ) async throws -> Void
    ) async throws {
        try await withTemporaryFolder { folder in
            let hub = try await Hub(data: folder, validator: IdentifierValidator())
            let project = try await hub.createProject(TestHub.project, quota: nil, requiresInstallation: false)
            let token = try #require(
                try await hub.issue(.token, role: .editor, name: "test", for: project, address: "").secret
            )
            // No file may have more than 2 MB, as if the disk were full there.
            let limits = "ulimit -f 4096; trap '' XFSZ"
            let server = try await HubProgram.Server(data: folder, limits: limits, place: .folder)
            defer { server.kill() }
            try await body(hub, server) { method, path, headers, data in
                var request = HTTPClientRequest(url: "http://127.0.0.1:\(server.port)\(path)")
                request.method = method
                request.headers.add(name: "Authorization", value: "Bearer \(token)")
                for (name, value) in headers { request.headers.add(name: name, value: value) }
                request.body = .bytes(data)
                return try await HTTPClient.shared.execute(request, timeout: .seconds(300))
            }
        }
    }

    @Test func aClientThatSendsItsHeadDropByDropIsCutOff() async throws {
        try await TestHub.with { test in
            var options = HTTPService.Options.patient
            options.idleTimeout = .milliseconds(500)
            try await test.serve(options) { client in
                let port = try #require(client.client.port)
                let socket = try await RawConnection.open(port: port)
                await socket.drip(
                    "GET /healthz HTTP/1.1\r\nHost: x\r\nX-Slow: ",
                    "a",
                    every: .milliseconds(100),
                    for: .seconds(5)
                )
                #expect(await socket.isClosed)
            }
        }
    }

    @Test func requestsThatAreNoHTTPAreRefused() async throws {
        try await TestHub.with { test in
            try await test.serve { client in
                let port = try #require(client.client.port)
                for text in [
                    "\0\0\0\0\r\n\r\n", "GET / HTTP/9.9\r\n\r\n", "GET  \r\n\r\n",
                    "POST / HTTP/1.1\r\nContent-Length: -1\r\n\r\n",
                ] {
                    let socket = try await RawConnection.open(port: port)
                    let reply = await socket.exchange(text, until: "\r\n\r\n")
                    #expect(reply.isEmpty || reply.hasPrefix("HTTP/1.1 4"), "\(reply)")
                }
                let huge = try await RawConnection.open(port: port)
                let reply = await huge.exchange(
                    "GET / HTTP/1.1\r\nX: \(String(repeating: "a", count: 100_000))\r\n\r\n",
                    until: "\r\n\r\n"
                )
                #expect(!reply.hasPrefix("HTTP/1.1 2"))
                #expect(try await client.send(.get, "/healthz").status == 200)
            }
        }
    }

    @Test(arguments: [
        "/v1beta2/projects/%/models", "/%ff", "/v1beta2/projects/my-plants/models/%00", "/files/a?expires=%zz",
    ])
    func addressesThatAreMalformedAreInvalidArguments(_ target: String) async throws {
        try await TestHub.with { test in
            try await test.serve { client in
                let port = try #require(client.client.port)
                let socket = try await RawConnection.open(port: port)
                let request = "GET \(target) HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"
                let reply = await socket.exchange(request, until: "\r\n\r\n")
                #expect(reply.hasPrefix("HTTP/1.1 400"), "\(reply)")
            }
        }
    }

    @Test func aHostHeaderCannotPutAnythingElseIntoAddresses() async throws {
        try await TestHub.with { test in
            let key = test.apiKey
            try await test.serve { client in
                _ = try await client.publish("plants", file: fakeModel())
                let port = try #require(client.client.port)
                let socket = try await RawConnection.open(port: port)
                let reply = await socket.exchange(
                    "GET \(TestClient.models)/plants:download?key=\(key) HTTP/1.1\r\nHost: a\"b/@c\r\nConnection: close\r\n\r\n",
                    until: "no such text"
                )
                #expect(reply.contains(#""downloadUri":"http://127.0.0.1:"#))
            }
        }
    }

    @Test func aServerThatIsToldToStopEndsWithSuccess() async throws {
        try await withTemporaryFolder { folder in
            let server = try await HubProgram.Server(data: folder)
            let url = "http://127.0.0.1:\(server.port)/readyz"
            let reply = try await HTTPClient.shared.execute(HTTPClientRequest(url: url), timeout: .seconds(300))
            #expect(reply.status == .ok)
            #expect(try await server.stop() == 0)
        }
    }

    @Test func metricsAreInTheTextFormatOfPrometheus() async throws {
        try await TestHub.with { test in
            try await test.serve { client in
                _ = try await client.publish("plants", file: fakeModel())
                _ = try await client.send(.get, "\(TestClient.models)/plants:download")
                let reply = try await client.send(.get, "/metrics", token: .some(nil))
                let lines = String(decoding: reply.body, as: UTF8.self).split(separator: "\n")
                #expect(lines.contains("hub_download_infos_total 1"))
                #expect(lines.contains(#"hub_requests_total{area="v1beta2",method="POST",status="200"} 1"#))
                #expect(lines.contains { $0.hasPrefix("process_resident_memory_bytes ") })
                for line in lines where !line.hasPrefix("#") {
                    #expect(line.wholeMatch(of: /[a-z_]+(\{[^}]*\})? [0-9.e+-]+/) != nil, "\(line)")
                }
            }
        }
    }
}
