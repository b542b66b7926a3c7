import Crypto
import CryptoExtras
import Foundation
import HTTPTypes
import ModelHubServer
import SightlineTestSupport
import Testing

/// Objects by addresses that a key file signed, as Cloud Storage's clients sign them.
@Suite(.hangLimit)
struct SignedObjectTests {
    private static let object = "/my-plants.appspot.com/folder/a%20file"

    /// Runs a test with an uploaded object, the key file of a service account, and where the server listens.
    private func withObject(
        _ body: @escaping @Sendable (TestClient, [String: String], Hub, TestClock, String) async throws -> Void
    ) async throws {
        try await TestHub.with { test in
            let (hub, clock) = (test.hub, test.clock)
            let key = try await test.keyFile(role: .viewer)
            try await test.serve { client in
                _ = try await client.upload(Data("content".utf8), as: "folder%2Fa%20file")
                var anyone = client
                anyone.token = nil
                try await body(anyone, key, hub, clock, "localhost")
            }
        }
    }

    /// The target of a signed address.
    private static func target(
        _ path: String = object,
        key: [String: String],
        host: String,
        time: Timestamp,
        lifetime: Int = 600
    ) throws -> String {
        let stamp = "\(time)".prefix(19).filter { $0 != "-" && $0 != ":" } + "Z"
        let scope = "\(stamp.prefix(8))/auto/storage/goog4_request"
        let account = try #require(key["client_email"]).replacing("@", with: "%40")
        let query =
            "X-Goog-Algorithm=GOOG4-RSA-SHA256&X-Goog-Credential=\(account)%2F\(scope.replacing("/", with: "%2F"))"
            + "&X-Goog-Date=\(stamp)&X-Goog-Expires=\(lifetime)&X-Goog-SignedHeaders=host"
        let canonical = "GET\n\(path)\n\(query)\nhost:\(host)\n\nhost\nUNSIGNED-PAYLOAD"
        let digest = sha256(Data(canonical.utf8))
        let text = "GOOG4-RSA-SHA256\n\(stamp)\n\(scope)\n\(digest)"
        let signer = try _RSA.Signing.PrivateKey(pemRepresentation: try #require(key["private_key"]))
        let signature = try signer.signature(for: Data(text.utf8), padding: .insecurePKCS1v1_5)
        return "\(path)?\(query)&X-Goog-Signature=\(hexadecimal(signature.rawRepresentation))"
    }

    @Test func aSignedAddressOpensItsObjectUntilItExpires() async throws {
        try await withObject { client, key, hub, clock, host in
            let target = try Self.target(key: key, host: host, time: clock.now)
            let reply = try await client.send(.get, target)
            #expect(
                reply.status == 200 && reply.body == Data("content".utf8),
                "\(String(decoding: reply.body, as: UTF8.self))"
            )
            #expect(reply.headers[.hash]?.hasPrefix("crc32c=") == true)
            #expect(try await client.send(.put, target, body: Data("x".utf8)).status == 405)
            let missing = try Self.target("/my-plants.appspot.com/missing", key: key, host: host, time: clock.now)
            #expect(try await client.send(.get, missing).status == 404)
            clock.advance(by: .seconds(601))
            #expect(try await client.send(.get, target).status == 400)
            let future = try Self.target(key: key, host: host, time: clock.now.advanced(by: .seconds(3600)))
            #expect(try await client.send(.get, future).status == 400)
        }
    }

    @Test func whatWasNotSignedIsRefused() async throws {
        try await withObject { client, key, hub, clock, host in
            let target = try Self.target(key: key, host: host, time: clock.now)
            for (old, new) in [
                ("a%20file", "b%20file"), ("Expires=600", "Expires=601"), ("sdk%40", "other%40"),
                ("%40my-plants", "%40other-project"), ("Signature=", "Signature=00"),
                ("&X-Goog-Date", "&more=1&X-Goog-Date"),
            ] {
                let changed = target.replacing(old, with: new)
                #expect(changed != target)
                #expect(try await client.send(.get, changed).status == 403, "\(old)")
            }
            let elsewhere = try Self.target(key: key, host: "storage.googleapis.com", time: clock.now)
            #expect(try await client.send(.get, elsewhere).status == 403)
            let project = try await hub.testProject()
            try await hub.revoke(try #require(key["private_key_id"]), of: project)
            #expect(try await client.send(.get, target).status == 403)
        }
    }

    @Test(arguments: [
        "X-Goog-Algorithm=GOOG4-RSA-SHA256", "X-Goog-Algorithm=none&X-Goog-Signature=00",
        "X-Goog-Algorithm=GOOG4-RSA-SHA256&X-Goog-Credential=a/b/c/storage/goog4_request&X-Goog-Date=20261321T250000Z"
            + "&X-Goog-Expires=99999999&X-Goog-SignedHeaders=host&X-Goog-Signature=zz",
    ])
    func aMalformedOneIsAnInvalidArgument(_ query: String) async throws {
        try await withObject { client, _, _, _, _ in
            let reply = try await client.send(.get, "\(Self.object)?\(query)")
            #expect(reply.status == 400)
        }
    }
}
