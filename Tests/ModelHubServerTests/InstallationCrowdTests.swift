import Foundation
import HTTPServing
import HTTPTypes
import Testing

@testable import ModelHubServer

/// Installations that register from one network.
@Suite(.hangLimit)
struct InstallationCrowdTests {
    /// Devices that are forged with an app's public key need time or addresses.
    @Test func tooManyRegistrationsOfANetworkCountAsOne() async throws {
        try await TestHub.with { test in
            var options = HTTPService.Options.patient
            options.trustsProxy = true
            let field = try #require(HTTPField.Name("X-Forwarded-For"))
            try await test.serve(options) { client in
                var counted: [String] = []
                for _ in 0..<70 {
                    let reply = try await client.send(
                        .post,
                        "/v1/projects/my-plants/installations?key=\(test.apiKey)",
                        headers: [.contentType: "application/json", field: "203.0.113.7"],
                        body: Data(#"{"appId": "1:1:ios:1"}"#.utf8),
                        token: .some(nil)
                    )
                    let token = try #require((reply.value("authToken") as? [String: Any])?["token"] as? String)
                    counted.append(try #require(test.hub.installation(token: token)).countedAs)
                }
                #expect(Set(counted.prefix(60)).count == 60)
                #expect(Set(counted.suffix(9)).count == 1 && counted.last?.hasPrefix("crowd ") == true)
            }
        }
    }
}
