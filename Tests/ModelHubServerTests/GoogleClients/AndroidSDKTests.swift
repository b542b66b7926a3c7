import Foundation
import HTTPTypes
import ModelHubServer
import SightlineTestSupport
import Testing

/// Requests as Firebase's SDK for Android makes them (FirebaseInstallationServiceClient.java, ConfigFetchHttpClient.java,
/// ConfigRealtimeHttpClient.java, CustomModelDownloadService.java).
@Suite(.hangLimit)
struct AndroidSDKTests {
    private static let fid = "cNhkfwNGTdKmDmVVEs3Qz9"

    private static func app(_ number: Int64) -> String { "1:\(number):android:0123456789abcdef012345" }

    /// The header fields of every request to Firebase Installations, with a body or without.
    private static func installationFields(key: String, refreshToken: String? = nil) -> HTTPFields {
        var fields: HTTPFields = [
            .contentType: "application/json", .accept: "application/json", .contentEncoding: "gzip",
            .cacheControl: "no-cache", .androidPackage: "org.example.plants",
            .heartbeat: "H4sIAAAAAAAA_6tWykhNLCpJSk0sKVayio7VUSpLLSrOzM9TslIyUqoFAFyivEQfAAAA",
            .androidCertificate: "61ED377E85D386A8DFEE6B864BD85B0BFAA5AF81", .apiKey: key,
            .acceptEncoding: "gzip",
        ]
        fields[.authorization] = refreshToken.map { "FIS_v2 \($0)" }
        return fields
    }

    /// Registers an installation.
    private static func register(_ client: TestClient, project: String, number: Int64, key: String) async throws
        -> TestReply
    {
        let body =
            #"{"fid":"\#(fid)","appId":"\#(app(number))","authVersion":"FIS_v2","sdkVersion":"a:19.1.2"}"#
        return try await client.send(
            .post,
            "/v1/projects/\(project)/installations",
            headers: installationFields(key: key),
            body: try gzip(Data(body.utf8)),
            token: .some(nil)
        )
    }

    private static func fetch(
        _ client: TestClient,
        number: Int64,
        key: String,
        token: String,
        etag: String? = nil
    ) async throws -> TestReply {
        var fields: HTTPFields = [
            .apiKey: key, .androidPackage: "org.example.plants",
            .androidCertificate: "61ED377E85D386A8DFEE6B864BD85B0BFAA5AF81", .canRetry: "yes",
            .installationsAuth: token, .contentType: "application/json", .accept: "application/json",
            .fetchType: "BASE/1",
        ]
        fields[.ifNoneMatch] = etag
        let body = """
            {"appInstanceId":"\(fid)","appInstanceIdToken":"\(token)","appId":"\(app(number))","countryCode":"DE",\
            "languageCode":"de-DE","platformVersion":"34","timeZone":"Europe\\/Berlin","appVersion":"1.0",\
            "appBuild":"1","packageName":"org.example.plants","sdkVersion":"23.0.1","analyticsUserProperties":{}}
            """
        return try await client.send(
            .post,
            "/v1/projects/\(number)/namespaces/firebase:fetch",
            headers: fields,
            body: Data(body.utf8),
            token: .some(nil)
        )
    }

    @Test func anAppRegistersWithACompressedBodyAndRenewsItsToken() async throws {
        try await TestHub.with { test in
            let key = test.apiKey
            try await test.serve { client in
                let number: Int64 = 100_000_000_001
                let reply = try await Self.register(client, project: TestHub.project, number: number, key: key)
                #expect(reply.status == 200, "\(reply.message)")
                #expect(reply.text("fid") == Self.fid)
                #expect(reply.text("authToken.expiresIn")?.wholeMatch(of: /[0-9]+s/) != nil)
                let refreshToken = try #require(reply.text("refreshToken"))
                let path = "/v1/projects/\(TestHub.project)/installations/\(Self.fid)"
                let fields = Self.installationFields(key: key, refreshToken: refreshToken)
                let renewed = try await client.send(
                    .post,
                    "\(path)/authTokens:generate",
                    headers: fields,
                    body: try gzip(Data(#"{"installation":{"sdkVersion":"a:19.1.2"}}"#.utf8)),
                    token: .some(nil)
                )
                #expect(renewed.status == 200, "\(renewed.message)")
                #expect(renewed.text("token")?.isEmpty == false)
                // The SDK says gzip here, too, and sends no body.
                #expect(try await client.send(.delete, path, headers: fields, token: .some(nil)).status == 200)
            }
        }
    }

    @Test func aNewInstallationOfAnAppThatWasBuiltForFirebaseGetsItsModel() async throws {
        try await TestHub.with { test in
            let (hub, number) = (test.hub, Int64(987_654_321_098))
            let project = try await hub.createProject(
                "old-plants",
                number: number,
                quota: nil,
                requiresInstallation: true
            )
            let key = "AIzaSyA1b2C3d4E5f6G7h8I9j0K1l2M3n4O5p6Q"
            _ = try await hub.adopt(apiKey: key, name: "android-app", for: project)
            let admin = try #require(
                try await hub.issue(.token, role: .editor, name: "test", for: project, address: "").secret
            )
            try await test.serve { client in
                var owner = client
                owner.token = admin
                let models = "/v1beta2/projects/old-plants/models"
                let file = fakeModel(1)
                let upload = "/upload/storage/v1/b/old-plants.appspot.com/o?uploadType=media&name=m"
                #expect(try await owner.send(.post, upload, body: file).status == 200)
                let source = ["gcsTfliteUri": "gs://old-plants.appspot.com/m"]
                let made = try await owner.send(
                    .post,
                    models,
                    json: ["displayName": "plants", "tfliteModel": source]
                )
                let id = try #require(made.id)
                let published = try await owner.send(
                    .patch,
                    "\(models)/\(id)?updateMask=state.published",
                    json: ["state": ["published": true]]
                )
                #expect(published.status == 200)

                let registered = try await Self.register(client, project: "old-plants", number: number, key: key)
                let token = try #require(registered.text("authToken.token"))
                let info = try await client.send(
                    .get,
                    "\(models)/plants:download",
                    headers: [
                        .acceptEncoding: "gzip", .contentType: "application/json; charset=UTF-8",
                        .installationsAuth: token, .apiKey: key, .androidPackage: "org.example.plants",
                        .androidCertificate: "61ED377E85D386A8DFEE6B864BD85B0BFAA5AF81",
                    ],
                    token: .some(nil)
                )
                #expect(info.status == 200, "\(info.message)")
                #expect(info.headers[.eTag] == sha256(file))
                let target = try requestTarget(info.text("downloadUri"))
                #expect(try await client.send(.get, target, token: .some(nil)).body == file)
                let config = try await Self.fetch(client, number: number, key: key, token: token)
                #expect(config.text("state") == "NO_TEMPLATE", "\(config.message)")
            }
        }
    }

    @Test func anUnchangedConfigurationSaysItsVersion() async throws {
        try await TestHub.with { test in
            let key = test.apiKey
            try await test.serve { client in
                let number: Int64 = 100_000_000_001
                let registered = try await Self.register(client, project: TestHub.project, number: number, key: key)
                let token = try #require(registered.text("authToken.token"))
                for version in 1...2 {
                    try await client.putConfig(ConfigTemplate.with("device.os == 'android'"))
                    let first = try await Self.fetch(client, number: number, key: key, token: token)
                    #expect(first.entries == ["p": "yes"])
                    #expect(first.text("templateVersion") == "\(version)")
                    let again = try await Self.fetch(client, number: number, key: key, token: token, etag: first.etag)
                    #expect(again.text("state") == "NO_CHANGE")
                    #expect(again.text("templateVersion") == "\(version)")
                }
            }
        }
    }

    @Test func compressedBodiesAreBounded() async throws {
        try await TestHub.with { test in
            let key = test.apiKey
            try await test.serve { client in
                func register(_ body: Data) async throws -> TestReply {
                    try await client.send(
                        .post,
                        "/v1/projects/\(TestHub.project)/installations",
                        headers: Self.installationFields(key: key),
                        body: body,
                        token: .some(nil)
                    )
                }
                let bomb = try gzip(Data(repeating: 0x20, count: 8 << 20))
                #expect(bomb.count < 16_000)
                let refused = try await register(bomb)
                #expect(refused.status == 400)
                #expect(refused.message.contains("damaged or inflates to more than"))
                let whole = try gzip(Data(#"{"appId":"1:1:android:ab"}"#.utf8))
                #expect(try await register(whole).status == 200)
                #expect(try await register(whole.dropLast(9)).status == 400)
            }
        }
    }

    @Test func everyJSONBodyMayBeCompressed() async throws {
        try await TestHub.with { test in
            try await test.serve { client in
                let body = try gzip(Data(#"{"displayName":"plants"}"#.utf8))
                let made = try await client.send(
                    .post,
                    TestClient.models,
                    headers: [.contentEncoding: "gzip"],
                    body: body
                )
                #expect(made.text("response.displayName") == "plants", "\(made.message)")
                let template = try gzip(Data(ConfigTemplate.with("true").utf8))
                let put = try await client.send(
                    .put,
                    TestClient.config,
                    headers: [.ifMatch: "*", .contentEncoding: "gzip"],
                    body: template
                )
                #expect(put.status == 200, "\(put.message)")
            }
        }
    }
}
