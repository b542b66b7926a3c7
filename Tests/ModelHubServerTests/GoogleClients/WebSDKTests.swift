import Foundation
import HTTPServing
import HTTPTypes
import ModelHubServer
import SightlineTestSupport
import Testing

/// Requests as browsers send them for pages with Firebase's JavaScript SDK (create-installation-request.ts, rest_client.ts,
/// realtime_handler.ts), and the preflights before them.
@Suite(.hangLimit)
struct WebSDKTests {
    private static let fid = "cNhkfwNGTdKmDmVVEs3Qz9"
    private static let app = "1:100000000001:web:0123456789abcdef"
    private static let origin = "https://plants.example.org"
    private static let installations = "/v1/projects/\(TestHub.project)/installations"
    private static let stream = "/v1/projects/\(TestHub.project)/namespaces/firebase:streamFetchInvalidations"

    @Test(arguments: [
        (installations, "POST", "content-type,x-firebase-client,x-goog-api-key"),
        ("\(installations)/\(fid)/authTokens:generate", "POST", "authorization,content-type,x-goog-api-key"),
        ("\(installations)/\(fid)", "DELETE", "authorization,content-type,x-goog-api-key"),
        ("\(TestClient.fetch)?key=AIzaSy", "POST", "content-encoding,content-type,if-none-match"),
        (
            "\(stream)?key=AIzaSy", "POST",
            "content-encoding,content-type,if-none-match,x-goog-api-key,x-goog-firebase-installations-auth"
        ),
        ("\(TestClient.models)/plants:download?key=AIzaSy", "GET", "if-none-match,x-goog-firebase-installations-auth"),
        ("/files/abc/plants.tflite?expires=1&signature=x", "GET", "range"),
    ])
    func aBrowserThatAsksFirstNeedsNoCredential(_ target: String, _ method: String, _ fields: String) async throws {
        try await TestHub.with { test in
            try await test.serve { client in
                let reply = try await client.send(
                    .options,
                    target,
                    headers: [
                        .accept: "*/*", .accessControlRequestMethod: method, .accessControlRequestHeaders: fields,
                        .origin: Self.origin,
                    ],
                    token: .some(nil)
                )
                #expect(reply.status == 204)
                #expect(reply.headers[.accessControlAllowOrigin] == "*")
                #expect(reply.headers[.accessControlAllowMethods]?.contains(method) == true)
                #expect(reply.headers[.accessControlAllowHeaders] == fields)
                #expect(reply.headers[.accessControlAllowCredentials] == nil)
            }
        }
    }

    /// The part of an answer that the SDK may read.
    private static func isReadable(_ reply: TestReply) -> Bool {
        reply.headers[.accessControlAllowOrigin] == "*"
            && reply.headers[.accessControlExposeHeaders]?.lowercased().contains("etag") == true
    }

    @Test func aPageRegistersAndFetchesItsConfiguration() async throws {
        try await TestHub.with { test in
            let key = test.apiKey
            try await test.serve { client in
                try await client.putConfig(ConfigTemplate.with("device.os == 'web'"))
                let registration =
                    #"{"fid":"\#(Self.fid)","authVersion":"FIS_v2","appId":"\#(Self.app)","sdkVersion":"w:0.6.19"}"#
                let registered = try await client.send(
                    .post,
                    Self.installations,
                    headers: [
                        .contentType: "application/json", .accept: "application/json", .apiKey: key,
                        .origin: Self.origin,
                    ],
                    body: Data(registration.utf8),
                    token: .some(nil)
                )
                #expect(registered.status == 200 && Self.isReadable(registered), "\(registered.message)")
                let token = try #require(registered.text("authToken.token"))
                func fetch(etag: String) async throws -> TestReply {
                    // The SDK says gzip and sends plain JSON.
                    let body = """
                        {"sdk_version":"12.0.0","app_instance_id":"\(Self.fid)","app_instance_id_token":"\(token)",\
                        "app_id":"\(Self.app)","language_code":"de-DE"}
                        """
                    return try await client.send(
                        .post,
                        "\(TestClient.fetch)?key=\(key)",
                        headers: [
                            .contentType: "application/json", .contentEncoding: "gzip", .ifNoneMatch: etag,
                            .origin: Self.origin,
                        ],
                        body: Data(body.utf8),
                        token: .some(nil)
                    )
                }
                let first = try await fetch(etag: "*")
                #expect(first.entries == ["p": "yes"])
                #expect(Self.isReadable(first) && !first.etag.isEmpty)
                #expect(first.headers[.contentEncoding] == "identity")
                let again = try await fetch(etag: first.etag)
                #expect(again.text("state") == "NO_CHANGE" && Self.isReadable(again))
            }
        }
    }

    @Test func aPageReadsAModelItsFileAndErrors() async throws {
        try await TestHub.with { test in
            let key = test.apiKey
            try await test.serve { client in
                let file = fakeModel()
                _ = try await client.publish("plants", file: file)
                let path = "\(TestClient.models)/plants:download"
                let fields: HTTPFields = [.origin: Self.origin]
                let info = try await client.send(.get, "\(path)?key=\(key)", headers: fields, token: .some(nil))
                #expect(info.status == 200 && Self.isReadable(info))
                let target = try requestTarget(info.text("downloadUri"))
                let content = try await client.send(.get, target, headers: fields, token: .some(nil))
                #expect(content.body == file && Self.isReadable(content))
                let refused = try await client.send(.get, "\(path)?key=wrong", headers: fields, token: .some(nil))
                #expect(refused.status == 403 && Self.isReadable(refused))
            }
        }
    }

    @Test func aPageLearnsThatItAsksTooOften() async throws {
        try await TestHub.with { test in
            var options = HTTPService.Options.patient
            options.rateLimit = 0.001
            let path = "\(TestClient.models)/plants:download?key=\(test.apiKey)"
            try await test.serve(options) { client in
                var last: TestReply?
                for _ in 0..<30 {
                    last = try await client.send(.get, path, headers: [.origin: Self.origin], token: .some(nil))
                }
                let refused = try #require(last)
                #expect(refused.status == 429 && Self.isReadable(refused))
            }
        }
    }

    @Test(arguments: [
        TestClient.models, "\(TestClient.models)/1", TestClient.config, "\(TestClient.config):listVersions",
        "/hub/v1/projects/my-plants/audit", "/storage/v1/b/my-plants.appspot.com/o/x", "/token", "/console/models",
        "/metrics",
    ])
    func pagesOfOtherSitesManageNothing(_ target: String) async throws {
        try await TestHub.with { test in
            try await test.serve { client in
                for method in [HTTPRequest.Method.options, .get] {
                    let reply = try await client.send(
                        method,
                        target,
                        headers: [.origin: Self.origin, .accessControlRequestMethod: "GET"]
                    )
                    #expect(reply.headers[.accessControlAllowOrigin] == nil)
                    #expect(reply.status != 204)
                }
            }
        }
    }
}
