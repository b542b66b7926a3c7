import Foundation
import HTTPTypes
import NIOCore
import SightlineTestSupport
import Testing

@testable import ModelHubServer

/// The share of the disk for uploads, complete or not.
@Suite(.hangLimit)
struct UploadQuotaTests {
    private static let upload = "/upload/storage/v1/b/my-plants.appspot.com/o"

    /// Calls `body` with a served hub whose project has a quota.
    private func withQuota(
        _ quota: Int?,
        _ body: @escaping @Sendable (TestHub, TestClient) async throws -> Void
    ) async throws {
        try await TestHub.with { test in
            var project = try await test.hub.testProject()
            project.quota = quota
            try await test.hub.updateProject(project)
            try await test.serve { client in try await body(test, client) }
        }
    }

    /// Begins an upload in several requests; gives where to send it.
    private func begin(_ name: String, _ client: TestClient) async throws -> String {
        let reply = try await client.send(.post, "\(Self.upload)?uploadType=resumable&name=\(name)", body: Data())
        #expect(reply.status == 200)
        return try requestTarget(reply.headers[.location])
    }

    private func put(_ data: Data, _ range: String, to target: String, _ client: TestClient) async throws -> TestReply {
        try await client.send(.put, target, headers: [.contentRange: "bytes \(range)"], body: data)
    }

    private func names(_ test: TestHub) throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: test.uploads.path)
    }

    @Test func anUploadThatTheQuotaRefusesLeavesNothing() async throws {
        try await withQuota(2500) { test, client in
            let file = fakeModel(1, byteCount: 3000)
            for range in ["0-\(file.count - 1)/\(file.count)", "0-\(file.count - 1)/*"] {
                let target = try await begin("x", client)
                let refused = try await put(file, range, to: target, client)
                #expect(refused.status == 429)
                #expect(refused.text("error.message")?.contains("its quota is 2500") == true)
                #expect(try await put(Data(), "*/\(file.count)", to: target, client).status == 404)
            }
            #expect(try names(test) == [])
            #expect(try await test.storedFiles().isEmpty)
        }
    }

    @Test func unfinishedUploadsCountInTheQuota() async throws {
        try await withQuota(10_000) { test, client in
            let piece = Data(repeating: 1, count: 6000)
            let first = try await begin("first", client)
            #expect(try await put(piece, "0-5999/*", to: first, client).status == 308)
            let second = try await begin("second", client)
            #expect(try await put(piece, "0-5999/*", to: second, client).status == 429)
            let media = try await client.send(.post, "\(Self.upload)?uploadType=media&name=third", body: piece)
            #expect(media.status == 429)
            #expect(try await test.hub.pieces.uploads().count == 1)
            // When the first is given up, there is room again.
            #expect(try await client.send(.delete, first).status == 499)
            let again = try await begin("again", client)
            #expect(try await put(piece, "0-5999/6000", to: again, client).status == 200)
        }
    }

    @Test func unfinishedUploadsCountInTheQuotaAfterARestart() async throws {
        try await TestHub.with { test in
            var project = try await test.hub.testProject()
            project.quota = 10_000
            try await test.hub.updateProject(project)
            let piece = Data(repeating: 1, count: 6000)
            try await test.serve { client in
                let target = try await begin("first", client)
                #expect(try await put(piece, "0-5999/*", to: target, client).status == 308)
            }
            try await test.serve { client in
                let media = try await client.send(.post, "\(Self.upload)?uploadType=media&name=second", body: piece)
                #expect(media.status == 429)
            }
        }
    }

    @Test func anAnnouncedLengthBeyondTheQuotaIsRefusedBeforeTheUploadBegins() async throws {
        try await withQuota(2500) { test, client in
            let name = try #require(HTTPField.Name("X-Upload-Content-Length"))
            for length in ["2501", "\(Int.max)"] {
                let target = "\(Self.upload)?uploadType=resumable&name=x"
                let reply = try await client.send(.post, target, headers: [name: length], body: Data())
                #expect(reply.status == 429 || reply.status == 413)
            }
            #expect(try names(test) == [])
        }
    }

    @Test func uploadsAtOnceDoNotPassTheQuota() async throws {
        try await withQuota(100_000) { test, _ in
            let hub = test.hub
            let caller = try await hub.caller(bearerToken: test.admin)
            try await hub.noteUsage(of: TestHub.project)
            let kept = try await withThrowingTaskGroup(of: Bool.self) { group in
                for number in 0..<20 {
                    group.addTask {
                        do {
                            let staged = try hub.stage(for: caller.project)
                            try staged.append(ByteBuffer(bytes: fakeModel(number, byteCount: 15_000)))
                            _ = try await hub.keep(
                                try staged.finish(),
                                at: staged.url,
                                entry: staged.entry,
                                as: try ObjectAddress(bucket: "bucket", name: "\(number)"),
                                contentType: "",
                                by: caller
                            )
                            return true
                        } catch let error as HubError where error.code == .resourceExhausted {
                            return false
                        }
                    }
                }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            #expect(Set(kept) == [true, false])
            #expect(try await hub.usage(of: caller.project).byteCount <= 100_000)
            #expect(try await hub.blobs.contents().reduce(0) { $0 + $1.byteCount } <= 100_000)
            #expect(try names(test) == [])
        }
    }

    /// Whatever was checked before, the transaction that adds a record checks again.
    @Test func aRecordBeyondTheQuotaIsNotAdded() async throws {
        try await withQuota(2500) { test, _ in
            let caller = try await test.hub.caller(bearerToken: test.admin)
            let object = StorageObject(
                project: TestHub.project,
                bucket: "bucket",
                name: "large",
                hash: try #require(BlobHash(sha256(Data()))),
                byteCount: 2000,
                crc32c: "",
                md5: "",
                contentType: "",
                createTime: .now
            )
            let error = await #expect(throws: HubError.self) {
                let entry = test.hub.audit(caller, "test", "")
                try await test.hub.claim(StoredBlob(hash: object.hash, byteCount: object.byteCount))
                try await test.hub.records.put(object, upload: nil, audit: entry)
            }
            #expect(error?.code == .resourceExhausted)
            #expect(try await test.hub.records.object("large", in: "bucket", of: TestHub.project) == nil)
        }
    }

    @Test func eachRecordCountsInTheQuota() async throws {
        try await withQuota(5 * ProjectUsage.recordSize) { _, client in
            var statuses: [Int] = []
            for number in 0..<6 {
                let target = "\(Self.upload)?uploadType=media&name=\(number)"
                statuses.append(try await client.send(.post, target, body: Data("\(number)".utf8)).status)
            }
            #expect(statuses == [200, 200, 200, 200, 429, 429])
        }
    }

    @Test func aFinishedUploadLeavesNoFileAndIsAnsweredAgain() async throws {
        try await withQuota(nil) { test, client in
            let file = fakeModel(1, byteCount: 1000)
            let target = try await begin("x", client)
            let range = "0-\(file.count - 1)/\(file.count)"
            let done = try await put(file, range, to: target, client)
            #expect(done.status == 200)
            #expect(try names(test) == [])
            let again = try await put(Data(), "*/\(file.count)", to: target, client)
            #expect(again.status == 200 && again.text("generation") == done.text("generation"))
            let stranger = try await client.send(.put, target, body: Data(), token: test.stranger)
            #expect(stranger.status == 404)
        }
    }

    @Test func uploadsThatAreWholeButNotKeptCountAmongThoseThatGoOn() async throws {
        try await TestHub.with { test in
            let summary = FileSummary(
                hash: try #require(BlobHash(sha256(Data()))),
                byteCount: 0,
                crc32c: "",
                md5: ""
            )
            for number in 0..<64 {
                let record = UploadRecord(
                    id: "\(number)",
                    project: TestHub.project,
                    bucket: "bucket",
                    name: "\(number)",
                    contentType: "",
                    time: test.clock.now,
                    summary: summary
                )
                try await test.hub.records.insert(record, limit: 64)
            }
            try await test.serve { client in
                let reply = try await client.send(.post, "\(Self.upload)?uploadType=resumable&name=x", body: Data())
                #expect(reply.status == 429)
                #expect(reply.text("error.message")?.contains("has 64 unfinished uploads") == true)
            }
        }
    }

    @Test func noMoreUploadsGoOnThanAllowedHoweverManyBeginAtOnce() async throws {
        try await withQuota(nil) { test, _ in
            let sessions = UploadSessions(test.hub)
            let begun = await withTaskGroup(of: Bool.self) { group in
                for number in 0..<80 {
                    group.addTask {
                        guard let address = try? ObjectAddress(bucket: "bucket", name: "\(number)") else {
                            return false
                        }
                        // A busy database asks to try again.
                        while true {
                            do {
                                _ = try await sessions.add(to: address, contentType: "", of: TestHub.project)
                                return true
                            } catch let error as HubError where error.code == .unavailable {
                                continue
                            } catch {
                                return false
                            }
                        }
                    }
                }
                return await group.reduce(into: []) { $0.append($1) }
            }
            #expect(begun.count(where: \.self) == 64)
            let recorded = try await test.hub.records.uploadIDs()
            #expect(recorded.count == 64)
        }
    }

    @Test func theFileOfADeletedOrReplacedUploadGoesAtOnce() async throws {
        try await withQuota(nil) { test, client in
            _ = try await client.upload(fakeModel(1), as: "x")
            _ = try await client.upload(fakeModel(2), as: "x")
            #expect(try await test.storedFiles() == [sha256(fakeModel(2))])
            let object = "/storage/v1/b/my-plants.appspot.com/o/x"
            #expect(try await client.send(.delete, object).status == 204)
            #expect(try await test.storedFiles().isEmpty)
        }
    }

    @Test func aFileThatAModelHadStaysForThoseWhoHaveItsAddress() async throws {
        try await withQuota(nil) { test, client in
            let id = try await client.publish("plants", file: fakeModel(1))
            #expect(try await client.send(.delete, "\(TestClient.models)/\(id)").status == 200)
            let object = "/storage/v1/b/my-plants.appspot.com/o/plants.tflite"
            #expect(try await client.send(.delete, object).status == 204)
            #expect(try await test.storedFiles() == [sha256(fakeModel(1))])
            test.clock.advance(by: .seconds(25 * 3600))
            #expect(try await test.hub.cleanUp() == CleanUp(objects: 0, blobs: 1))
        }
    }

    @Test func aContentTypeIsShort() async throws {
        try await withQuota(nil) { test, client in
            let long = String(repeating: "x", count: 256)
            let media = "\(Self.upload)?uploadType=media&name=x"
            let reply = try await client.send(.post, media, headers: [.contentType: long], body: fakeModel())
            #expect(reply.status == 400)
            let resumable = "\(Self.upload)?uploadType=resumable"
            #expect(try await client.send(.post, resumable, json: ["name": "x", "contentType": long]).status == 400)
            let body =
                "--b\r\n\r\n{\"name\":\"x\",\"contentType\":\"\(long)\"}\r\n--b\r\n\r\nabc\r\n--b--"
            let parts = try await client.send(
                .post,
                "\(Self.upload)?uploadType=multipart",
                headers: [.contentType: "multipart/related; boundary=b"],
                body: Data(body.utf8)
            )
            #expect(parts.status == 400)
            #expect(try names(test) == [])
            #expect(try await test.storedFiles().isEmpty)
            let short = String(long.dropLast())
            let kept = try await client.send(.post, media, headers: [.contentType: short], body: fakeModel())
            #expect(kept.text("contentType") == short)
        }
    }

    @Test func aReaderCannotCancelAnUpload() async throws {
        try await withQuota(nil) { test, client in
            let target = try await begin("x", client)
            #expect(try await client.send(.delete, target, token: test.reader).status == 403)
            #expect(try await put(Data("a".utf8), "0-0/1", to: target, client).status == 200)
        }
    }
}
