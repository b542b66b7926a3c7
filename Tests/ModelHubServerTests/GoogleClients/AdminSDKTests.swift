import Foundation
import HTTPServing
import HTTPTypes
import SightlineTestSupport
import Testing

@testable import ModelHubServer

/// Requests as Google's server libraries make them (google-auth-library-nodejs, google-auth for Python, firebase-admin,
/// google-cloud-storage).
@Suite(.hangLimit)
struct AdminSDKTests {
    /// An assertion as gtoken of google-auth-library-nodejs writes it: its header has no `kid`.
    private static func nodeAssertion(_ key: [String: String], at time: Timestamp) throws -> String {
        let seconds = time.milliseconds / 1000
        let claims = """
            {"iss":"\(try #require(key["client_email"]))","scope":"https://www.googleapis.com/auth/cloud-platform \
            https://www.googleapis.com/auth/firebase.database https://www.googleapis.com/auth/firebase.messaging \
            https://www.googleapis.com/auth/identitytoolkit https://www.googleapis.com/auth/userinfo.email",\
            "aud":"https://oauth2.googleapis.com/token","exp":\(seconds + 3600),"iat":\(seconds)}
            """
        return try Assertion.sign(
            header: Data(#"{"alg":"RS256"}"#.utf8),
            claims: Data(claims.utf8),
            privateKey: try #require(key["private_key"])
        )
    }

    @Test func nodeSignsInThoughItsAssertionNamesNoKey() async throws {
        try await TestHub.with { test in
            let (hub, clock) = (test.hub, test.clock)
            // Key files of one name are keys of one account.
            let (first, second) = (try await test.keyFile(role: .viewer), try await test.keyFile(role: .editor))
            try await test.serve { client in
                for (key, status) in [(first, 403), (second, 200)] {
                    let reply = try await client.signIn(try Self.nodeAssertion(key, at: clock.now))
                    let token = try #require(reply.text("access_token"), "\(reply.text("error_description") ?? "")")
                    let made = try await client.send(
                        .post,
                        TestClient.models,
                        json: ["displayName": "plants"],
                        token: token
                    )
                    #expect(made.status == status)
                }
                let project = try await hub.testProject()
                try await hub.revoke(try #require(first["private_key_id"]), of: project)
                let refused = try await client.signIn(try Self.nodeAssertion(first, at: clock.now))
                #expect(refused.status == 400 && refused.text("error") == "invalid_grant")
                #expect(try await client.signIn(try Self.nodeAssertion(second, at: clock.now)).status == 200)
            }
        }
    }

    @Test func withoutTheNameOfAKeyForgeriesAreRefused() async throws {
        try await TestHub.with { test in
            let clock = test.clock
            let key = try await test.keyFile()
            let elsewhere = try await test.hub.issue(
                .serviceAccount,
                role: .editor,
                name: "other",
                for: try await test.hub.testProject("other-project"),
                address: ""
            )
            let otherKey = try JSONDecoder().decode(
                [String: String].self,
                from: Data(try #require(elsewhere.keyFile).utf8)
            )
            try await test.serve { client in
                var stolenName = otherKey
                stolenName["client_email"] = key["client_email"]
                var unknown = key
                unknown["client_email"] = "nobody@my-plants.iam.gserviceaccount.com"
                var bare = key
                bare["client_email"] = "my-plants"
                var cut = key
                cut["client_email"] = "sdk@my-plants\\u0000.iam.gserviceaccount.com"
                for forged in [stolenName, unknown, bare, cut] {
                    let reply = try await client.signIn(try Self.nodeAssertion(forged, at: clock.now))
                    #expect(reply.status == 400)
                }
                let late = clock.now.advanced(by: .seconds(-7200))
                #expect(try await client.signIn(try Self.nodeAssertion(key, at: late)).status == 400)
            }
        }
    }

    @Test func onlyTheNewestKeysOfAnAccountAreTried() async throws {
        try await TestHub.with { test in
            let (hub, clock) = (test.hub, test.clock)
            let old = try await test.keyFile()
            clock.advance(by: .seconds(1))
            let new = try await test.keyFile()
            let newest = try #require(new["private_key_id"])
            let template = try #require(try await hub.records.credential(id: newest))
            let project = try await hub.testProject()
            for number in 1...15 {
                var credential = template
                credential.id = "copy-\(number)"
                credential.createTime = template.createTime.advanced(by: .seconds(number))
                try await hub.records.insert(credential, audit: hub.audit(.local(project), "key.create", "copy"))
            }
            try await test.serve { client in
                for (key, status) in [(new, 200), (old, 400)] {
                    let reply = try await client.signIn(try Self.nodeAssertion(key, at: clock.now))
                    #expect(reply.status == status)
                }
            }
        }
    }

    @Test(arguments: [
        ("https://oauth2.googleapis.com/token", true, true),
        ("https://accounts.google.com/o/oauth2/token", true, true),
        ("https://www.googleapis.com/oauth2/v4/token", true, true),
        ("https://accounts.google.com/token", false, false),
        ("https://models.example.org/token", false, true),
        ("http://127.0.0.1:8/token", false, false),
        ("https://evil.example/token", false, false),
        ("https://models.example.org/token/", false, false),
        ("https://storage.googleapis.com/", false, false),
        ("https://firebaseml.googleapis.com/", false, false),
        (
            "https://identitytoolkit.googleapis.com/google.identity.identitytoolkit.v1.IdentityToolkit", false, false
        ),
        ("", false, false),
    ])
    func anAssertionForAnotherServiceSignsNobodyIn(_ audience: String, _ anywhere: Bool, _ atAddress: Bool) async throws
    {
        try await TestHub.with { test in
            let clock = test.clock
            var assertion = try Assertion(key: try await test.keyFile(), time: clock.now)
            assertion.audience = audience
            let text = try assertion.signed()
            try await test.serve { client in
                let reply = try await client.signIn(text)
                #expect(reply.status == (anywhere ? 200 : 400))
            }
            var options = HTTPService.Options.patient
            options.publicAddress = "https://models.example.org"
            try await test.serve(options) { client in
                let reply = try await client.signIn(text)
                #expect(reply.status == (atAddress ? 200 : 400))
                if !atAddress { #expect(reply.text("error") == "invalid_grant") }
            }
        }
    }

    /// firebase-admin-node up to 12, and libraries up to 2018.
    @Test(arguments: ["/o/oauth2/token", "/oauth2/v4/token"]) func earlierAddressesSignIn(path: String) async throws {
        try await TestHub.with { test in
            let clock = test.clock
            var assertion = try Assertion(key: try await test.keyFile(), time: clock.now)
            assertion.audience =
                path == "/o/oauth2/token" ? "https://accounts.google.com\(path)" : "https://www.googleapis.com\(path)"
            let text = try assertion.signed()
            try await test.serve { client in
                let form = ["grant_type": "urn:ietf:params:oauth:grant-type:jwt-bearer", "assertion": text]
                let reply = try await client.form(path, form)
                let token = try #require(reply.text("access_token"))
                #expect(try await client.send(.get, TestClient.models, token: token).status == 200)
            }
        }
    }

    /// A proxy may add TLS, and clients may write the scheme's own port and capitals.
    @Test(arguments: [
        "http://HOST/token", "https://HOST/token", "http://HOST/token/../token", "http://HOST/x/token",
        "http://HOST:81/token",
    ])
    func withoutAnAddressOfTheOperatorTheClientsHostIsTheAudience(_ form: String) async throws {
        try await TestHub.with { test in
            let clock = test.clock
            let key = try await test.keyFile()
            try await test.serve { client in
                var assertion = try Assertion(key: key, time: clock.now)
                // The test's client names its host without the port.
                for host in ["localhost", "LocalHost"] {
                    assertion.audience = form.replacing("HOST", with: host)
                    let isRight = form.hasSuffix("://HOST/token")
                    let reply = try await client.signIn(try assertion.signed())
                    #expect(reply.status == (isRight ? 200 : 400))
                }
            }
        }
    }

    @Test(arguments: [(-10.0, 200), (200, 200), (3000, 400)])
    func anAssertionIsNotValidBeforeItsBeginning(_ seconds: Double, _ status: Int) async throws {
        try await TestHub.with { test in
            let key = try await test.keyFile()
            let time = Double(test.clock.now.milliseconds / 1000)
            let claims: [String: Any] = [
                "iss": try #require(key["client_email"]), "aud": "https://oauth2.googleapis.com/token", "iat": time,
                "exp": time + 3600, "nbf": time + seconds,
            ]
            let assertion = try Assertion.sign(
                header: Data(#"{"alg":"RS256","kid":"\#(try #require(key["private_key_id"]))"}"#.utf8),
                claims: try JSONSerialization.data(withJSONObject: claims),
                privateKey: try #require(key["private_key"])
            )
            try await test.serve { client in
                let reply = try await client.signIn(assertion)
                #expect(reply.status == status)
            }
        }
    }

    @Test func theNameOfAKeyIsReadToItsEnd() async throws {
        try await TestHub.with { test in
            let clock = test.clock
            var assertion = try Assertion(key: try await test.keyFile(), time: clock.now)
            assertion.keyID += "\u{0}x"
            let text = try assertion.signed()
            try await test.serve { client in
                let reply = try await client.signIn(text)
                #expect(reply.status == 400)
            }
        }
    }

    /// firebase-admin-node's tests assert this form of every template.
    @Test func etagsOfTemplatesHaveTheFormOfGoogles() async throws {
        try await TestHub.with { test in
            try await test.serve { client in
                let form = /etag-[0-9]*-[0-9]*/
                let first = try await client.putConfig(ConfigTemplate.with("true"))
                let second = try await client.putConfig(ConfigTemplate.with("true"))
                let read = try await client.send(.get, TestClient.config)
                let checked = try await client.putConfig(ConfigTemplate.with("true"), query: "?validate_only=true")
                for reply in [first, second, read, checked] {
                    #expect(reply.status == 200)
                    #expect(reply.etag.wholeMatch(of: form) != nil, "\(reply.etag)")
                    #expect(reply.headers[.contentEncoding] == "identity")
                }
                #expect(first.etag != second.etag && read.etag == second.etag)
                #expect(checked.etag.hasSuffix("-0"))
            }
        }
    }

    @Test func aBucketExistsOnceItHoldsSomethingOrIsTheProjects() async throws {
        try await TestHub.with { test in
            try await test.serve { client in
                func status(_ bucket: String) async throws -> Int {
                    let target = "/storage/v1/b/\(bucket)?fields=name&prettyPrint=false"
                    return try await client.send(.get, target).status
                }
                for bucket in ["my-plants.appspot.com", "my-plants.firebasestorage.app"] {
                    let known = try await status(bucket)
                    #expect(known == 200)
                }
                for bucket in ["non.existing", "other-project.appspot.com", "my-bucket"] {
                    let unknown = try await status(bucket)
                    #expect(unknown == 404)
                }
                let upload = "/upload/storage/v1/b/my-bucket/o?uploadType=media&name=x"
                #expect(try await client.send(.post, upload, body: Data("x".utf8)).status == 200)
                #expect(try await status("my-bucket") == 200)
            }
        }
    }
}
