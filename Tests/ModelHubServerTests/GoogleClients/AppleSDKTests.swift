import Foundation
import HTTPTypes
import ModelHubServer
import SightlineTestSupport
import Testing

/// Requests as Firebase's SDK for Apple's systems makes them (FIRInstallationsAPIService.m, ModelInfoRetriever.swift,
/// RCNConfigRealtime.m).
@Suite(.hangLimit)
struct AppleSDKTests {
    private static let fid = "cNhkfwNGTdKmDmVVEs3Qz9"
    private static let app = "1:100000000001:ios:0123456789abcdef"

    private static func installationFields(key: String, refreshToken: String? = nil) -> HTTPFields {
        var fields: HTTPFields = [
            .apiKey: key, .bundleIdentifier: "org.example.Plants", .contentType: "application/json",
            .heartbeat: "H4sIAAAAAAAAE6tWykhNLCpJSk0sKVayio7VUSpLLSrOzM9TslIyUqoFAFyivEQfAAAA",
        ]
        fields[.authorization] = refreshToken.map { "FIS_v2 \($0)" }
        return fields
    }

    @Test func anAppRegistersRenewsItsTokenAndDeletesItself() async throws {
        try await TestHub.with { test in
            let key = test.apiKey
            try await test.serve { client in
                let body =
                    #"{"fid":"\#(Self.fid)","authVersion":"FIS_v2","sdkVersion":"i:12.19.0","appId":"\#(Self.app)"}"#
                let path = "/v1/projects/my-plants/installations/"
                let reply = try await client.send(
                    .post,
                    path,
                    headers: Self.installationFields(key: key),
                    body: Data(body.utf8),
                    token: .some(nil)
                )
                #expect(reply.status == 200, "\(reply.message)")
                let fields = Self.installationFields(key: key, refreshToken: reply.text("refreshToken"))
                let renewed = try await client.send(
                    .post,
                    "\(path)\(Self.fid)/authTokens:generate",
                    headers: fields,
                    body: Data(#"{"installation":{"sdkVersion":"i:12.19.0"}}"#.utf8),
                    token: .some(nil)
                )
                #expect(renewed.status == 200, "\(renewed.message)")
                let deletion = try await client.send(
                    .delete,
                    "\(path)\(Self.fid)/",
                    headers: fields,
                    body: Data("{}".utf8),
                    token: .some(nil)
                )
                #expect(deletion.status == 200)
            }
        }
    }

    /// nginx drops an unquoted ETag when it compresses, and compresses no answer that names an encoding.
    @Test func theHashOfAModelComesUnquotedAndSurvivesAProxyThatCompresses() async throws {
        try await TestHub.with { test in
            let key = test.apiKey
            try await test.serve { client in
                let file = fakeModel()
                _ = try await client.publish("plants", file: file)
                let target = "\(TestClient.models)/plants:download?key=\(key)"
                let fields: HTTPFields = [.bundleIdentifier: "org.example.Plants", .installationsAuth: "token"]
                let info = try await client.send(.get, target, headers: fields, token: .some(nil))
                #expect(info.status == 200)
                #expect(info.headers[.eTag] == sha256(file))
                #expect(info.headers[.contentEncoding] == "identity")
                var known = fields
                known[.ifNoneMatch] = sha256(file)
                let unchanged = try await client.send(.get, target, headers: known, token: .some(nil))
                #expect(unchanged.status == 304)
                #expect(unchanged.headers[.eTag] == sha256(file))
                #expect(unchanged.headers[.contentEncoding] == nil)
            }
        }
    }
}
