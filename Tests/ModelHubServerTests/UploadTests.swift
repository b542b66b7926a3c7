import Foundation
import HTTPTypes
import NIOCore
import SightlineTestSupport
import Synchronization
import Testing

@testable import ModelHubServer

@Suite(.hangLimit)
struct UploadTests {
    private static let upload = "/upload/storage/v1/b/my-plants.appspot.com/o"

    /// RFC 3720, appendix B.4, and the well-known check value.
    @Test(arguments: [
        (Data("123456789".utf8), UInt32(0xE306_9283)), (Data(repeating: 0, count: 32), UInt32(0x8A91_36AA)),
        (Data(repeating: 0xFF, count: 32), UInt32(0x62A8_AB43)), (Data(0..<32), UInt32(0x46DD_794E)),
        (Data(), UInt32(0)),
    ])
    func theChecksumIsCRC32C(_ data: Data, _ expected: UInt32) {
        for split in [0, 1, data.count / 2, data.count] where split <= data.count {
            var checksum = CRC32C()
            data.prefix(split).withUnsafeBytes { checksum.update($0) }
            data.dropFirst(split).withUnsafeBytes { checksum.update($0) }
            #expect(checksum.value == expected)
        }
    }

    @Test(arguments: [1, 2, 7, 100, 100_000])
    func aMultipartBodyIsTakenApartHoweverItIsCut(_ pieceSize: Int) throws {
        let content = Data("\r\n--other--\r\n--b\r\r\n".utf8) + Data((0..<5000).map { UInt8(truncatingIfNeeded: $0) })
        let head = "--bound\r\ncontent-type: application/json; charset=UTF-8\r\n\r\n{\"name\": \"x\"}\r\n--bound\r\n"
        let body = Data((head + "content-type: a/b\r\n\r\n").utf8) + content + Data("\r\n--bound--".utf8)
        var (upload, received) = (try MultipartUpload(contentType: "multipart/related; boundary=\"bound\""), Data())
        for start in stride(from: 0, to: body.count, by: pieceSize) {
            let piece = body[start..<min(start + pieceSize, body.count)]
            try upload.consume(ByteBuffer(bytes: piece)) { received += Data($0.readableBytesView) }
        }
        try upload.finish { received += Data($0.readableBytesView) }
        #expect(received == content)
        #expect(upload.description == Data(#"{"name": "x"}"#.utf8))
        #expect(upload.contentType == "a/b")
    }

    @Test func aMultipartBodyThatBreaksOffIsRefused() async throws {
        try await TestHub.with { test in
            try await test.serve { client in
                for body in [
                    "", "--b\r\n\r\n{}\r\n--b\r\n\r\nabc", "--c\r\n\r\n{}\r\n--b\r\n\r\nabc\r\n--b--", "--b\r\n\r\n{}",
                ] {
                    let reply = try await client.send(
                        .post,
                        "\(Self.upload)?uploadType=multipart",
                        headers: [.contentType: "multipart/related; boundary=b"],
                        body: Data(body.utf8)
                    )
                    #expect(reply.status == 400)
                }
                #expect(try await test.storedFiles().isEmpty)
                #expect(try FileManager.default.contentsOfDirectory(atPath: test.uploads.path).isEmpty)
            }
        }
    }

    @Test func aResumableUploadGoesOnWhereItStopped() async throws {
        try await TestHub.with { test in
            try await test.serve { client in
                let file = fakeModel(1, byteCount: 10_000)
                let begin = try await client.send(
                    .post,
                    "\(Self.upload)?uploadType=resumable",
                    json: ["name": "dir/x.tflite"]
                )
                #expect(begin.status == 200)
                let target = try requestTarget(begin.headers[.location])
                func put(_ range: String, _ body: Data) async throws -> TestReply {
                    try await client.send(.put, target, headers: [.contentRange: range], body: body)
                }
                let total = file.count
                #expect(try await put("bytes */\(total)", Data()).headers[.range] == nil)
                let first = try await put("bytes 0-3999/\(total)", file.prefix(4000))
                #expect(first.status == 308 && first.headers[.range] == "bytes=0-3999")
                // Overlaps by 1000, as a client does that did not see how far it came.
                let second = try await put("bytes 3000-5999/\(total)", file[3000..<6000])
                #expect(second.headers[.range] == "bytes=0-5999")
                // Leaves a gap, and is not taken.
                #expect(try await put("bytes 7000-7999/\(total)", file[7000..<8000]).headers[.range] == "bytes=0-5999")
                let last = try await put("bytes 6000-\(total - 1)/\(total)", file[6000...])
                #expect(last.status == 200)
                #expect(last.text("size") == "\(total)")
                #expect(last.text("name") == "dir/x.tflite")
                #expect(last.text("crc32c")?.isEmpty == false)
                // The answer was lost; the client asks again.
                #expect(try await put("bytes */\(total)", Data()).text("generation") == last.text("generation"))
                let content = try await client.send(
                    .get,
                    "/storage/v1/b/my-plants.appspot.com/o/dir%2Fx.tflite?alt=media"
                )
                #expect(content.body == file)
            }
        }
    }

    @Test func aResumableUploadGoesOnAfterARestart() async throws {
        try await TestHub.with { test in
            let file = fakeModel(1, byteCount: 10_000)
            let target = Log<String>()
            try await test.serve { client in
                let begin = try await client.send(.post, "\(Self.upload)?uploadType=resumable&name=x", body: Data())
                target.add(try requestTarget(begin.headers[.location]))
                let reply = try await client.put(file.prefix(4000), from: 0, of: file.count, to: try target.only)
                #expect(reply.headers[.range] == "bytes=0-3999")
            }
            let generation = Log<String>()
            try await test.serve { client in
                let state = try await client.put(Data(), from: nil, of: file.count, to: try target.only)
                #expect(state.status == 308 && state.headers[.range] == "bytes=0-3999")
                let last = try await client.put(file[4000...], from: 4000, of: file.count, to: try target.only)
                #expect(last.status == 200)
                generation.add(try #require(last.text("generation")))
                let path = "/storage/v1/b/my-plants.appspot.com/o/x?alt=media"
                #expect(try await client.send(.get, path).body == file)
            }
            // The last answer was lost with the hub.
            try await test.serve { client in
                let again = try await client.put(Data(), from: nil, of: file.count, to: try target.only)
                #expect(again.status == 200)
                #expect(again.text("generation") == (try generation.only))
            }
            #expect(try await test.hub.verify().problems == [])
        }
    }

    /// The hub was killed after the upload was whole: before its file moved to its place, or after that but before its record.
    @Test(arguments: [false, true])
    func aWholeUploadIsKeptAfterARestart(_ hasMoved: Bool) async throws {
        try await TestHub.with { test in
            let file = fakeModel(1, byteCount: 10_000)
            let id = String(repeating: "0a", count: 24)
            let piece = try await test.hub.pieces.stage(id, limit: 1 << 20, entry: nil)
            try piece.file.append(ByteBuffer(bytes: file))
            try piece.file.synchronize()
            try await test.hub.pieces.keep(fileAt: piece.file.url, from: 0, of: id)
            let summary = try piece.file.finish()
            let record = UploadRecord(
                id: id,
                project: TestHub.project,
                bucket: "my-plants.appspot.com",
                name: "x",
                contentType: "text/plain",
                byteCount: summary.byteCount,
                time: test.clock.now,
                summary: summary
            )
            try await test.hub.records.insert(record, limit: 64)
            if hasMoved { try await test.hub.blobs.store(fileAt: piece.file.url, as: summary.hash) }
            try await test.serve { client in
                let target = "\(Self.upload)?uploadType=resumable&upload_id=\(id)"
                let reply = try await client.put(Data(), from: nil, of: file.count, to: target)
                #expect(reply.status == 200)
                #expect(reply.text("contentType") == "text/plain")
                let path = "/storage/v1/b/my-plants.appspot.com/o/x?alt=media"
                #expect(try await client.send(.get, path).body == file)
            }
            #expect(try await test.hub.verify() == Verification(intactFiles: 1, unreferencedFiles: 0, problems: []))
        }
    }

    @Test func aCancelledUploadAndOneThatStandsStillLeaveNothing() async throws {
        try await TestHub.with { test in
            let clock = test.clock
            try await test.serve { client in
                for name in ["cancelled", "left"] {
                    let begin = try await client.send(
                        .post,
                        "\(Self.upload)?uploadType=resumable&name=\(name)",
                        body: Data()
                    )
                    let target = try requestTarget(begin.headers[.location])
                    _ = try await client.put(fakeModel(), from: 0, of: 1000, to: target)
                    if name == "left" { break }
                    #expect(try await client.send(.delete, target).status == 499)
                    #expect(try await client.put(fakeModel(), from: 0, of: 1000, to: target).status == 404)
                }
            }
            let pieces = test.hub.pieces
            #expect(try await pieces.uploads().count == 1)
            clock.advance(by: .seconds(23 * 3600))
            _ = try await test.hub.cleanUp()
            #expect(try await pieces.uploads().count == 1)
            clock.advance(by: .seconds(2 * 3600))
            _ = try await test.hub.cleanUp()
            #expect(try await pieces.uploads() == [])
            #expect(try await test.hub.records.uploadIDs() == [])
            #expect(try FileManager.default.contentsOfDirectory(atPath: test.uploads.path) == [])
        }
    }

    @Test func anotherProjectSeesNeitherUploadsNorSessions() async throws {
        try await TestHub.with { test in
            let stranger = test.stranger
            try await test.serve { client in
                let uri = try await client.upload(fakeModel())
                let begin = try await client.send(.post, "\(Self.upload)?uploadType=resumable&name=y", body: Data())
                let target = try requestTarget(begin.headers[.location])
                #expect(try await client.send(.put, target, body: Data("x".utf8), token: stranger).status == 404)
                let object = "/storage/v1/b/my-plants.appspot.com/o/model.tflite"
                #expect(try await client.send(.get, object, token: stranger).status == 404)
                let model = try await client.send(
                    .post,
                    "/v1beta2/projects/other-project/models",
                    json: ["displayName": "stolen", "tfliteModel": ["gcsTfliteUri": uri]],
                    token: stranger
                )
                #expect(model.value("response.modelHash") == nil)
                #expect(model.value("response.state.validationError.code") as? Int == 5)
            }
        }
    }

    @Test(arguments: ["../../hub.sqlite", "/etc/passwd", "a/../../../b", "..", ".", "con\\..\\x", "ä ü/日本"])
    func namesOfObjectsAreNeverPaths(_ name: String) async throws {
        try await TestHub.with { test in
            let folder = test.folder
            try await test.serve { client in
                let encoded = try #require(name.addingPercentEncoding(withAllowedCharacters: .alphanumerics))
                let before = try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted()
                let reply = try await client.send(
                    .post,
                    "\(Self.upload)?uploadType=media&name=\(encoded)",
                    body: fakeModel()
                )
                #expect(reply.text("name") == name)
                let content = try await client.send(.get, "/storage/v1/b/my-plants.appspot.com/o/\(encoded)?alt=media")
                #expect(content.body == fakeModel())
                #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted() == before)
            }
        }
    }

    @Test(arguments: ["%00", "a%0Ab", "", String(repeating: "x", count: 1025)])
    func namesWithControlCharactersOrTooLongAreRefused(_ name: String) async throws {
        try await TestHub.with { test in
            try await test.serve { client in
                let reply = try await client.send(
                    .post,
                    "\(Self.upload)?uploadType=media&name=\(name)",
                    body: fakeModel()
                )
                #expect(reply.status == 400)
            }
        }
    }

    @Test func aFileOverTheLimitIsRefusedAndLeavesNothing() async throws {
        var options = Hub.Options()
        options.maximumModelSize = 1000
        try await TestHub.with(options: options) { test in
            try await test.serve { client in
                let large = fakeModel(1, byteCount: 2000)
                let begin = try await client.send(.post, "\(Self.upload)?uploadType=resumable&name=x", body: Data())
                let target = try requestTarget(begin.headers[.location])
                let piece = try await client.send(.put, target, headers: [.contentRange: "bytes 0-1999/*"], body: large)
                #expect(piece.status == 429)
                let media = try await client.send(.post, "\(Self.upload)?uploadType=media&name=x", body: large)
                #expect(media.status == 413)
                #expect(try await test.storedFiles().isEmpty)
            }
        }
    }

    @Test func aQuotaCountsEachContentOnce() async throws {
        try await TestHub.with { test in
            let hub = test.hub
            var project = try await hub.testProject()
            project.quota = 250_000
            try await hub.updateProject(project)
            try await test.serve { client in
                _ = try await client.publish("plants", file: fakeModel(1, byteCount: 100_000))
                _ = try await client.upload(fakeModel(1, byteCount: 100_000), as: "same.tflite")
                _ = try await client.upload(fakeModel(2, byteCount: 100_000), as: "second.tflite")
                let reply = try await client.send(
                    .post,
                    "\(Self.upload)?uploadType=media&name=third",
                    body: fakeModel(3, byteCount: 100_000)
                )
                #expect(reply.status == 429)
                #expect(reply.text("error.message")?.contains("its quota is 250000") == true)
            }
        }
    }

    @Test func aJSONBodyOverTheLimitIsRefused() async throws {
        try await TestHub.with { test in
            try await test.serve { client in
                let body = ["displayName": String(repeating: "x", count: 2_000_000)]
                #expect(try await client.send(.post, TestClient.models, body: Data("{".utf8)).status == 400)
                let reply = try await client.send(.post, TestClient.models, json: body)
                #expect(reply.status == 413)
                #expect(reply.headers[.connection] == "close")
            }
        }
    }
}

extension TestClient {
    /// Sends a piece of a resumable upload, or asks how much has come.
    fileprivate func put(_ piece: Data, from start: Int?, of total: Int, to target: String) async throws -> TestReply {
        let range = start.map { "\($0)-\($0 + piece.count - 1)" } ?? "*"
        return try await send(.put, target, headers: [.contentRange: "bytes \(range)/\(total)"], body: piece)
    }
}

/// The values that a closure saw.
private final class Log<Element: Sendable>: Sendable {
    private let elements = Mutex<[Element]>([])
    func add(_ element: Element) { elements.withLock { $0.append(element) } }
    /// The only one.
    var only: Element { get throws { try #require(elements.withLock { $0.count == 1 ? $0.first : nil }) } }
}
