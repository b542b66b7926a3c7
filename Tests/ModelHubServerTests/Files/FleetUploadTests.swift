import Foundation
import HTTPTypes
import HubTestSupport
import SightlineTestSupport
import Testing

@testable import ModelHubServer

/// Uploads in several requests that reach different hubs with the same records and files.
@Suite(.hangLimit)
struct FleetUploadTests {
    private static let upload = "/upload/storage/v1/b/my-plants.appspot.com/o"

    private func put(_ piece: Data, from start: Int, of total: Int, to target: String, _ client: TestClient)
        async throws
        -> TestReply
    {
        let range = "bytes \(start)-\(start + piece.count - 1)/\(total)"
        return try await client.send(.put, target, headers: [.contentRange: range], body: piece)
    }

    /// Calls `body` with two served hubs.
    private func withTwoHubs(
        _ server: StorageServer,
        _ body: @escaping @Sendable (TestHub, TestClient, TestClient) async throws -> Void
    ) async throws {
        let storage = try await server.client()
        try await withTemporaryFolder { folder in
            let second = try await HubFiles.s3(storage, data: folder, cache: nil)
            try await TestHub.with(opening: { try await .s3(storage, data: $0, cache: nil) }) { first in
                try await first.withAnotherHub(second) { other in
                    try await first.serve { clientOfFirst in
                        try await other.serve { clientOfOther in try await body(first, clientOfFirst, clientOfOther) }
                    }
                }
            }
        }
    }

    @Test(arguments: StorageServer.available)
    func anUploadGoesOnAtAnotherHub(_ server: StorageServer) async throws {
        try await withTwoHubs(server) { test, first, second in
            let file = fakeModel(1, byteCount: 10_000)
            let begin = try await first.send(.post, "\(Self.upload)?uploadType=resumable&name=x", body: Data())
            let target = try requestTarget(begin.headers[.location])
            var start = 0
            for (client, end) in [(first, 3000), (second, 5000), (second, 7000), (first, 8000)] {
                let reply = try await put(file[start..<end], from: start, of: file.count, to: target, client)
                #expect(reply.status == 308)
                #expect(reply.headers[.range] == "bytes=0-\(end - 1)")
                start = end
            }
            let last = try await put(file[start...], from: start, of: file.count, to: target, second)
            #expect(last.status == 200)
            // The client lost the answer, and asks the first hub.
            let again = try await first.send(
                .put,
                target,
                headers: [.contentRange: "bytes */\(file.count)"],
                body: Data()
            )
            #expect(again.status == 200)
            #expect(again.text("generation") == last.text("generation"))
            let object = "/storage/v1/b/my-plants.appspot.com/o/x?alt=media"
            for client in [first, second] { #expect(try await client.send(.get, object).body == file) }
            #expect(try await test.hub.pieces.uploads() == [])
            #expect(try await test.hub.records.uploadIDs() == [])
        }
    }

    @Test(arguments: StorageServer.available)
    func anUploadEndsAtAllHubs(_ server: StorageServer) async throws {
        try await withTwoHubs(server) { test, first, second in
            let file = fakeModel(1, byteCount: 10_000)
            let begin = try await first.send(.post, "\(Self.upload)?uploadType=resumable&name=x", body: Data())
            let target = try requestTarget(begin.headers[.location])
            #expect(try await put(file.prefix(3000), from: 0, of: file.count, to: target, first).status == 308)
            #expect(try await second.send(.delete, target).status == 499)
            #expect(try await put(file[3000..<4000], from: 3000, of: file.count, to: target, first).status == 404)
            #expect(try await test.hub.pieces.uploads() == [])
        }
    }

    @Test func unfinishedUploadsOfOtherHubsCountInTheQuota() async throws {
        guard StorageServer.moto.isInstalled else { return }
        try await withTwoHubs(.moto) { test, first, second in
            var project = try await test.hub.testProject()
            project.quota = 10_000
            try await test.hub.updateProject(project)
            let piece = Data(repeating: 1, count: 6000)
            let begin = try await first.send(.post, "\(Self.upload)?uploadType=resumable&name=x", body: Data())
            let target = try requestTarget(begin.headers[.location])
            #expect(try await put(piece, from: 0, of: 12_000, to: target, first).status == 429)
            let again = try await first.send(.post, "\(Self.upload)?uploadType=resumable&name=x", body: Data())
            let next = try requestTarget(again.headers[.location])
            #expect(try await put(piece, from: 0, of: 9_000, to: next, first).status == 308)
            let media = try await second.send(.post, "\(Self.upload)?uploadType=media&name=y", body: piece)
            #expect(media.status == 429)
            #expect(try await second.send(.delete, next).status == 499)
            let last = try await second.send(.post, "\(Self.upload)?uploadType=media&name=y", body: piece)
            #expect(last.status == 200)
        }
    }
}
