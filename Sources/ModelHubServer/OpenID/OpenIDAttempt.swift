import Crypto
import Foundation
import ModelHubProtocol

/// A sign-in that the provider has not answered yet. Its browser keeps it in a cookie that the hub signed, so that strangers who begin
/// sign-ins occupy nothing in the hub, and every hub of a fleet can finish it.
struct OpenIDAttempt: Codable, Sendable {
    /// A random text, of which state, nonce and verifier are made.
    var seed: String
    /// The page after signing in.
    var target: String
    /// The end, in milliseconds since 1970.
    var end: Int64

    /// The time that a person has at the provider.
    static let lifetime = Duration.seconds(10 * 60)
    /// The purpose of the hub's signature.
    static let purpose = "openid-attempt"

    init(target: String, now: Timestamp) {
        seed = Base64URL.text(RandomBytes.make(32))
        self.target = target
        end = now.advanced(by: Self.lifetime).milliseconds
    }

    /// The value by which the provider's answer is known to belong to this browser (RFC 6749, section 10.12).
    var state: String { derived("state") }
    /// The value by which the ID token is known to belong to this sign-in.
    var nonce: String { derived("nonce") }
    /// The secret without which nobody else can use the code (RFC 7636).
    var verifier: String { derived("verifier") }
    /// The part of ``verifier`` that the provider learns at first: its SHA-256 (`S256`).
    var challenge: String { Base64URL.text(SHA256.hash(data: Data(verifier.utf8))) }

    private func derived(_ use: String) -> String { Base64URL.text(SHA256.hash(data: Data("\(use)\n\(seed)".utf8))) }
}
