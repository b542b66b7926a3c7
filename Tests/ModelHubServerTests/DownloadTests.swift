import Foundation
import HTTPTypes
import ModelHubServer
import SightlineTestSupport
import Testing

@Suite(.hangLimit)
struct DownloadTests {
    private static let info = "\(TestClient.models)/plants:download"

    @Test func theInfoHasWhatTheMobileClientsRead() async throws {
        try await TestHub.with { test in
            let (key, clock) = (test.apiKey, test.clock)
            try await test.serve { client in
                let file = fakeModel()
                _ = try await client.publish("plants", file: file)
                let reply = try await client.send(.get, "\(Self.info)?key=\(key)", token: .some(nil))
                #expect(reply.status == 200)
                #expect(reply.headers[.eTag] == sha256(file))
                #expect(reply.text("sizeBytes") == "\(file.count)")
                #expect(reply.text("modelFormat") == "TFLITE")
                let expiry = try #require(reply.text("expireTime"))
                #expect(expiry == "\(clock.now.advanced(by: .seconds(3600)))")
                let target = try requestTarget(reply.text("downloadUri"))
                let content = try await client.send(.get, target, token: .some(nil))
                #expect(content.status == 200)
                #expect(content.body == file)
                #expect(content.headers[.contentLength] == "\(file.count)")
                #expect(content.headers[.contentEncoding] == nil)
            }
        }
    }

    @Test(arguments: ["%@", "\"%@\"", "W/\"%@\"", "\"other\", \"%@\""])
    func aClientWithTheFileGets304WithTheSameTag(_ pattern: String) async throws {
        try await TestHub.with { test in
            let key = test.apiKey
            try await test.serve { client in
                let file = fakeModel()
                _ = try await client.publish("plants", file: file)
                let tag = pattern.replacingOccurrences(of: "%@", with: sha256(file))
                let headers: HTTPFields = [.ifNoneMatch: tag, .apiKey: key]
                let reply = try await client.send(.get, Self.info, headers: headers, token: .some(nil))
                #expect(reply.status == 304)
                #expect(reply.headers[.eTag] == sha256(file))
                #expect(reply.body.isEmpty)
                let other = try await client.send(
                    .get,
                    Self.info,
                    headers: [.ifNoneMatch: "0123", .apiKey: key],
                    token: .some(nil)
                )
                #expect(other.status == 200)
            }
        }
    }

    @Test func unpublishedDeletedAndUnknownAreAllNotFound() async throws {
        try await TestHub.with { test in
            try await test.serve { client in
                let id = try await client.publish("plants", file: fakeModel())
                _ = try await client.setPublished(false, id)
                for _ in 0..<2 {
                    let reply = try await client.send(.get, Self.info)
                    #expect(reply.status == 404)
                    #expect(reply.text("error.status") == "NOT_FOUND")
                    _ = try await client.send(.delete, "\(TestClient.models)/\(id)")
                }
            }
        }
    }

    @Test func anAddressStaysValidWhenTheModelGoesAndEndsWith400() async throws {
        try await TestHub.with { test in
            let (hub, clock) = (test.hub, test.clock)
            try await test.serve { client in
                let file = fakeModel()
                let id = try await client.publish("plants", file: file)
                let target = try await client.target()
                _ = try await client.send(.delete, "\(TestClient.models)/\(id)")
                _ = try await client.send(.delete, "/storage/v1/b/my-plants.appspot.com/o/plants.tflite")
                _ = try await hub.cleanUp()
                #expect(try await client.send(.get, target, token: .some(nil)).body == file)
                clock.advance(by: .seconds(3601))
                let expired = try await client.send(.get, target, token: .some(nil))
                #expect(expired.status == 400)
                #expect(expired.text("error.message") == "The download address has expired; request a new one.")
                clock.advance(by: .seconds(48 * 3600))
                #expect(try await hub.cleanUp().blobs == 1)
                #expect(try await test.storedFiles().isEmpty)
            }
        }
    }

    @Test func anAddressThatWasChangedIsForbidden() async throws {
        try await TestHub.with { test in
            try await test.serve { client in
                _ = try await client.publish("plants", file: fakeModel(1))
                _ = try await client.publish("other", file: fakeModel(2))
                let target = try await client.target()
                let forgeries = [
                    target.replacing("expires=", with: "expires=9"), target.replacing("/plants.", with: "/plants2."),
                    target.replacing(sha256(fakeModel(1)), with: sha256(fakeModel(2))),
                    String(target.dropLast(2)), target.replacing("signature=", with: "signature=A"),
                    String(target.prefix { $0 != "?" }), "/files/../../hub.sqlite?expires=1&signature=x",
                    "/files/..%2fhub.sqlite/x?expires=1&signature=x",
                ]
                for forgery in forgeries {
                    #expect(try await client.send(.get, forgery, token: .some(nil)).status == 403, "\(forgery)")
                }
            }
        }
    }

    @Test(arguments: [
        ("bytes=0-9", 206, 0..<10), ("bytes=10-", 206, 10..<1000), ("bytes=-5", 206, 995..<1000),
        ("bytes=990-5000", 206, 990..<1000), ("bytes=0-0,5-6", 200, 0..<1000), ("lines=1-2", 200, 0..<1000),
        ("bytes=5-2", 200, 0..<1000), ("bytes=1000-", 416, 0..<0), ("bytes=99999999999999999999-", 200, 0..<1000),
    ])
    func aRangeBringsThatPart(_ range: String, _ status: Int, _ part: Range<Int>) async throws {
        try await TestHub.with { test in
            try await test.serve { client in
                var file = fakeModel(1, byteCount: 1000)
                file = file.prefix(1000)
                _ = try await client.publish("plants", file: file)
                let target = try await client.target()
                let reply = try await client.send(.get, target, headers: [.range: range], token: .some(nil))
                #expect(reply.status == status)
                #expect(reply.body == file[part])
                #expect(reply.headers[.contentLength] == "\(part.count)")
                if status == 206 {
                    #expect(reply.headers[.contentRange] == "bytes \(part.lowerBound)-\(part.upperBound - 1)/1000")
                }
                let changed: HTTPFields = [.range: range, .ifRange: "\"another\""]
                #expect(try await client.send(.get, target, headers: changed, token: .some(nil)).body == file)
            }
        }
    }

    @Test(arguments: [("\"another\"", 412), ("SAME", 206), ("\"another\", SAME", 206), ("*", 206)])
    func aDownloadGoesOnWithTheSameFileAlone(_ condition: String, _ status: Int) async throws {
        try await TestHub.with { test in
            try await test.serve { client in
                _ = try await client.publish("plants", file: fakeModel(1))
                let target = try await client.target()
                let etag = try await client.send(.get, target, token: .some(nil)).headers[.eTag] ?? ""
                let headers: HTTPFields = [.range: "bytes=5-", .ifMatch: condition.replacing("SAME", with: etag)]
                let reply = try await client.send(.get, target, headers: headers, token: .some(nil))
                #expect(reply.status == status && reply.body.isEmpty == (status == 412))
            }
        }
    }

    @Test func headHasTheLengthAndNoBody() async throws {
        try await TestHub.with { test in
            try await test.serve { client in
                let file = fakeModel()
                _ = try await client.publish("plants", file: file)
                let reply = try await client.send(.head, try await client.target(), token: .some(nil))
                #expect(reply.status == 200 && reply.body.isEmpty)
                #expect(reply.headers[.contentLength] == "\(file.count)")
            }
        }
    }

    @Test func manyLargeDownloadsOnOneConnectionAreWhole() async throws {
        try await TestHub.with { test in
            try await test.serve { client in
                let file = fakeModel(1, byteCount: 3_000_000)
                _ = try await client.publish("plants", file: file)
                let target = try await client.target()
                for _ in 0..<5 { #expect(try await client.send(.get, target, token: .some(nil)).body == file) }
            }
        }
    }

    @Test func aProjectMayDemandInstallations() async throws {
        try await TestHub.with { test in
            let (hub, key, clock) = (test.hub, test.apiKey, test.clock)
            var project = try await hub.testProject()
            project.requiresInstallation = true
            try await hub.updateProject(project)
            try await test.serve { client in
                _ = try await client.publish("plants", file: fakeModel())
                let target = "\(Self.info)?key=\(key)"
                #expect(try await client.send(.get, target, token: .some(nil)).status == 401)
                let registration = try await client.send(
                    .post,
                    "/v1/projects/my-plants/installations/?key=\(key)",
                    json: ["fid": "cNhkfwNGTdKmDmVVEs3Qz9", "appId": "1:1:ios:1", "authVersion": "FIS_v2"],
                    token: .some(nil)
                )
                #expect(registration.text("fid") == "cNhkfwNGTdKmDmVVEs3Qz9")
                #expect(registration.text("authToken.expiresIn") == "604800s")
                let token = try #require(registration.text("authToken.token"))
                func status(_ token: String) async throws -> Int {
                    try await client.send(.get, target, headers: [.installationsAuth: token], token: .some(nil)).status
                }
                #expect(try await status(token) == 200)
                #expect(try await status(token + "x") == 401)
                clock.advance(by: .seconds(604_801))
                #expect(try await status(token) == 401)
                let path = "/v1/projects/my-plants/installations/cNhkfwNGTdKmDmVVEs3Qz9/authTokens:generate?key=\(key)"
                let refresh = try #require(registration.text("refreshToken"))
                let renewed = try await client.send(
                    .post,
                    path,
                    headers: [.authorization: "FIS_v2 \(refresh)"],
                    body: Data(#"{"installation":{"sdkVersion":"i:12"}}"#.utf8),
                    token: .some(nil)
                )
                #expect(try await status(try #require(renewed.text("token"))) == 200)
                let forged = try await client.send(
                    .post,
                    path,
                    headers: [.authorization: "FIS_v2 x.y"],
                    token: .some(nil)
                )
                #expect(forged.status == 401)
            }
        }
    }
}

extension TestClient {
    /// Path and query of the signed address of the model "plants".
    func target() async throws -> String {
        let reply = try await send(.get, "\(Self.models)/plants:download")
        return try requestTarget(reply.text("downloadUri"))
    }
}
