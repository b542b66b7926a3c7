import Foundation
import HTTPServing
import HTTPTypes
import ModelHubServer
import SightlineTestSupport
import Testing

@Suite(.hangLimit)
struct AccessTests {
    @Test func rolesMayDoWhatTheySay() async throws {
        try await TestHub.with { test in
            let (reader, publisher) = (test.reader, test.publisher)
            try await test.serve { client in
                let id = try await client.publish("plants", file: fakeModel())
                let path = "\(TestClient.models)/\(id)"
                #expect(try await client.send(.get, path, token: reader).status == 200)
                let refusal = try await client.send(.post, TestClient.models, json: ["displayName": "x"], token: reader)
                #expect(refusal.status == 403)
                #expect(
                    refusal.text("error.message")?.contains(
                        "needs the role publisher, but the credential has the role viewer"
                    ) == true
                )
                #expect(try await client.send(.patch, path, json: ["tags": ["t"]], token: publisher).status == 200)
                #expect(try await client.send(.delete, path, token: publisher).status == 403)
                #expect(try await client.send(.get, "/hub/v1/projects/-/audit", token: publisher).status == 403)
                #expect(try await client.send(.delete, path).status == 200)
            }
        }
    }

    @Test func anotherProjectsTokenOpensNothing() async throws {
        try await TestHub.with { test in
            let (stranger, key) = (test.stranger, test.apiKey)
            try await test.serve { client in
                let id = try await client.publish("plants", file: fakeModel())
                for target in [
                    "\(TestClient.models)", "\(TestClient.models)/\(id)", "\(TestClient.models)/plants:download",
                ] {
                    let reply = try await client.send(.get, target, token: stranger)
                    #expect(reply.status == 403)
                    #expect(reply.text("error.status") == "PERMISSION_DENIED")
                }
                // The model's id within the stranger's own project.
                let own = "/v1beta2/projects/other-project/models"
                #expect(try await client.send(.get, "\(own)/\(id)", token: stranger).status == 404)
                #expect(try await client.send(.delete, "\(own)/\(id)", token: stranger).status == 404)
                #expect(
                    try await client.send(.get, "\(own)/plants:download?key=\(key)", token: .some(nil)).status == 403
                )
            }
        }
    }

    @Test func withoutABearerTokenManagementSaysWhatItNeeds() async throws {
        try await TestHub.with { test in
            let key = test.apiKey
            try await test.serve { client in
                let none = try await client.send(.get, TestClient.models, token: .some(nil))
                #expect(none.status == 401)
                #expect(none.text("error.status") == "UNAUTHENTICATED")
                let keyed = try await client.send(.get, "\(TestClient.models)?key=\(key)", token: .some(nil))
                #expect(keyed.text("error.message")?.hasPrefix("API keys are not supported by this API") == true)
                // An API key is not a bearer token.
                #expect(try await client.send(.get, TestClient.models, token: key).status == 401)
                #expect(try await client.send(.get, "\(TestClient.models)/x:download", token: .some(nil)).status == 403)
            }
        }
    }

    @Test func aRevokedCredentialEndsAtOnce() async throws {
        try await TestHub.with { test in
            let (hub, reader, key) = (test.hub, test.reader, test.apiKey)
            try await test.serve { client in
                _ = try await client.publish("plants", file: fakeModel())
                let project = try await hub.testProject()
                for credential in try await hub.credentials(of: project) where credential.role == .viewer {
                    try await hub.revoke(credential.id, of: project)
                }
                #expect(try await client.send(.get, TestClient.models, token: reader).status == 401)
                #expect(
                    try await client.send(.get, "\(TestClient.models)/plants:download?key=\(key)", token: .some(nil))
                        .status == 403
                )
            }
        }
    }

    @Test func theDatabaseHoldsNoSecret() async throws {
        try await TestHub.with { test in
            let records = try await test.records()
            #expect(records.range(of: Data(TestHub.project.utf8)) != nil)
            for secret in [test.admin, test.apiKey] { #expect(records.range(of: Data(secret.utf8)) == nil) }
        }
    }

    @Test func apiKeysHaveTheFormThatMobileClientsDemand() async throws {
        try await TestHub.with { test in
            #expect(test.apiKey.wholeMatch(of: /A[A-Za-z0-9_-]{38}/) != nil)
        }
    }

    @Test func aKeyFileSignsInUntilItsTokenEnds() async throws {
        try await TestHub.with { test in
            let clock = test.clock
            let key = try await test.keyFile(address: "http://hub")
            #expect(
                key["type"] == "service_account" && key["project_id"] == "my-plants"
                    && key["token_uri"] == "http://hub/token"
            )
            try await test.serve { client in
                let assertion = try Assertion(key: key, time: clock.now)
                let reply = try await client.signIn(try assertion.signed())
                #expect(reply.value("expires_in") as? Int == 3600)
                #expect(reply.text("token_type") == "Bearer")
                let token = try #require(reply.text("access_token"))
                #expect(try await client.send(.get, TestClient.models, token: token).status == 200)
                #expect(try await client.send(.get, TestClient.models, token: token + "A").status == 401)
                #expect(try await client.send(.get, TestClient.models, token: "sat.e30.AAAA").status == 401)
                clock.advance(by: .seconds(3601))
                #expect(try await client.send(.get, TestClient.models, token: token).status == 401)
            }
        }
    }

    @Test func forgedAssertionsAreInvalidGrants() async throws {
        try await TestHub.with { test in
            let (hub, clock) = (test.hub, test.clock)
            let project = try await hub.testProject()
            let issued = try await hub.issue(
                .serviceAccount,
                role: .editor,
                name: "sdk",
                for: project,
                address: "http://hub"
            )
            let stranger = try await hub.issue(
                .serviceAccount,
                role: .editor,
                name: "other",
                for: project,
                address: "http://hub"
            )
            func decoded(_ file: String?) throws -> [String: String] {
                try JSONDecoder().decode([String: String].self, from: Data(try #require(file).utf8))
            }
            let (key, otherKey) = (try decoded(issued.keyFile), try decoded(stranger.keyFile))
            try await test.serve { client in
                let good = try Assertion(key: key, time: clock.now)
                var wrongKey = good
                wrongKey.privateKey = try #require(otherKey["private_key"])
                var late = good
                late.time = clock.now.advanced(by: .seconds(-7200))
                var early = good
                early.time = clock.now.advanced(by: .seconds(7200))
                var impostor = good
                impostor.issuer = try #require(otherKey["client_email"])
                var unsigned = good
                unsigned.algorithm = "none"
                let valid = try good.signed()
                var parts = valid.split(separator: ".").map(String.init)
                parts[1] = base64URL(Data(#"{"iss":"x","aud":"y","iat":0,"exp":99999999999}"#.utf8))
                let forgeries = [
                    try wrongKey.signed(), try late.signed(), try early.signed(), try impostor.signed(),
                    try unsigned.signed(),
                    parts.joined(separator: "."), String(valid.dropLast(4)), "a.b.c", "", "...",
                ]
                for forgery in forgeries {
                    let reply = try await client.signIn(forgery)
                    #expect(reply.status == 400)
                    #expect(reply.text("error") == "invalid_grant")
                }
                #expect(try await client.signIn(valid).status == 200)
                try await hub.revoke(issued.credential.id, of: project)
                #expect(try await client.signIn(valid).status == 400)
            }
        }
    }

    @Test(arguments: [
        ("", "invalid_request"), ("grant_type=%", "invalid_request"), ("assertion=a.b.c", "invalid_request"),
        ("grant_type=urn%3Aietf%3Aparams%3Aoauth%3Agrant-type%3Ajwt-bearer", "invalid_request"),
        ("grant_type=password&username=a&password=b", "unsupported_grant_type"),
    ])
    func aFormWithoutAnAssertionGetsAnErrorOfOAuth(_ form: String, _ code: String) async throws {
        try await TestHub.with { test in
            try await test.serve { client in
                let reply = try await client.send(
                    .post,
                    "/token",
                    headers: [.contentType: "application/x-www-form-urlencoded"],
                    body: Data(form.utf8),
                    token: .some(nil)
                )
                #expect(reply.status == 400)
                #expect(reply.text("error") == code)
                #expect(reply.text("error_description")?.isEmpty == false)
            }
        }
    }

    @Test func numbersOfAnySizeInTheHeaderOfAnAssertionAreHarmless() async throws {
        try await TestHub.with { test in
            let key = try await test.keyFile()
            let time = test.clock.now.milliseconds / 1000
            let claims: [String: Any] = [
                "iss": try #require(key["client_email"]), "aud": "https://oauth2.googleapis.com/token", "iat": time,
                "exp": time + 3600,
            ]
            let header = #"{"alg":"RS256","kid":"\#(try #require(key["private_key_id"]))","x":1e300,"y":-1e300}"#
            let assertion = try Assertion.sign(
                header: Data(header.utf8),
                claims: try JSONSerialization.data(withJSONObject: claims),
                privateKey: try #require(key["private_key"])
            )
            try await test.serve { client in
                let reply = try await client.signIn(assertion)
                #expect(reply.status == 200)
            }
        }
    }

    @Test func aClientThatTriesTokensIsSlowedDown() async throws {
        try await TestHub.with { test in
            try await test.serve { client in
                var statuses: [Int] = []
                // However slowly they come, more than are allowed in that time.
                while statuses.count < 2000, statuses.last != 429 {
                    statuses.append(
                        try await client.send(.get, TestClient.models, token: "slt_\(statuses.count)").status
                    )
                }
                #expect(statuses.last == 429)
                #expect(statuses.dropLast().allSatisfy { $0 == 401 })
                #expect(statuses.count > 30)
            }
        }
    }

    @Test func tooManyRequestsFromOneAddressAreRefused() async throws {
        try await TestHub.with { test in
            var options = HTTPService.Options.patient
            options.rateLimit = 0.001
            try await test.serve(options) { client in
                var replies: [TestReply] = []
                for _ in 0..<30 { replies.append(try await client.send(.get, "/healthz")) }
                #expect(replies[0].status == 200)
                let refused = try #require(replies.last)
                #expect(refused.status == 429)
                #expect(refused.text("error.status") == "RESOURCE_EXHAUSTED")
                #expect(refused.headers[.retryAfter] != nil)
            }
        }
    }

    @Test func theAuditLogSaysWhoDidWhat() async throws {
        try await TestHub.with { test in
            try await test.serve { client in
                let id = try await client.publish("plants", file: fakeModel())
                let reply = try await client.send(.get, "/hub/v1/projects/my-plants/audit")
                let entries = try #require(reply.value("entries") as? [[String: Any]])
                let newest = try #require(entries.first)
                #expect(newest["action"] as? String == "model.patch")
                #expect(newest["detail"] as? String == "published")
                #expect(newest["target"] as? String == "projects/my-plants/models/\(id)")
                #expect((newest["actor"] as? String)?.hasSuffix("(test)") == true)
                #expect(entries.contains { $0["action"] as? String == "object.upload" })
                #expect(entries.contains { $0["actor"] as? String == "local" })
            }
        }
    }
}
