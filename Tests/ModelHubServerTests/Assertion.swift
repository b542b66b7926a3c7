import CryptoExtras
import Foundation
import HTTPTypes
import ModelHubServer
import Testing

/// A JSON Web Token of a service account, as Google's library for Python writes it.
struct Assertion {
    var privateKey: String
    var keyID: String
    var issuer: String
    var time: Timestamp
    var algorithm = "RS256"
    /// Google's libraries write this address whatever the key file says.
    var audience = "https://oauth2.googleapis.com/token"

    init(key: [String: String], time: Timestamp) throws {
        privateKey = try #require(key["private_key"])
        keyID = try #require(key["private_key_id"])
        issuer = try #require(key["client_email"])
        self.time = time
    }

    func signed() throws -> String {
        let seconds = time.milliseconds / 1000
        let claims: [String: Any] = ["iss": issuer, "aud": audience, "iat": seconds, "exp": seconds + 3600]
        let header = ["alg": algorithm, "typ": "JWT", "kid": keyID]
        return try Self.sign(
            header: try JSONSerialization.data(withJSONObject: header),
            claims: try JSONSerialization.data(withJSONObject: claims),
            privateKey: privateKey
        )
    }

    /// The text of a token with a header and claims as they are given.
    static func sign(header: Data, claims: Data, privateKey: String) throws -> String {
        let text = "\(base64URL(header)).\(base64URL(claims))"
        let key = try _RSA.Signing.PrivateKey(pemRepresentation: privateKey)
        let signature = try key.signature(for: Data(text.utf8), padding: .insecurePKCS1v1_5)
        return "\(text).\(base64URL(signature.rawRepresentation))"
    }
}

extension TestClient {
    /// Exchanges an assertion for a bearer token.
    func signIn(_ assertion: String) async throws -> TestReply {
        let form = "grant_type=urn%3Aietf%3Aparams%3Aoauth%3Agrant-type%3Ajwt-bearer&assertion=\(assertion)"
        return try await send(
            .post,
            "/token",
            headers: [.contentType: "application/x-www-form-urlencoded"],
            body: Data(form.utf8),
            token: .some(nil)
        )
    }
}
