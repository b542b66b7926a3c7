import Crypto
import Foundation
import ModelHubProtocol

/// Signs values that the hub issues and later verifies, with the hub's secret key (HMAC-SHA256, RFC 2104).
struct Signer: Sendable {
    private let key: SymmetricKey

    init(key: [UInt8]) { self.key = SymmetricKey(data: key) }

    /// The signature of a text for a purpose. The purpose prevents the use of a signature for something else.
    func signature(of text: String, for purpose: String) -> String {
        Base64URL.text(HMAC<SHA256>.authenticationCode(for: Data("\(purpose)\n\(text)".utf8), using: key))
    }

    /// Encrypts texts for a purpose, with its own key.
    func sealer(for purpose: String) -> Sealer {
        Sealer(key: SymmetricKey(data: HMAC<SHA256>.authenticationCode(for: Data("seal\n\(purpose)".utf8), using: key)))
    }

    /// Whether a signature is right. The check takes the same time for wrong signatures.
    func isValid(_ signature: some StringProtocol, of text: String, for purpose: String) -> Bool {
        guard let bytes = Base64URL.data(signature) else { return false }
        return HMAC<SHA256>.isValidAuthenticationCode(
            bytes,
            authenticating: Data("\(purpose)\n\(text)".utf8),
            using: key
        )
    }

    /// A token that contains a value: its JSON and a signature, both in base64url, separated by a dot.
    func token(_ value: some Encodable, for purpose: String) throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        let body = Base64URL.text(try encoder.encode(value))
        return "\(body).\(signature(of: body, for: purpose))"
    }

    /// The value in a token; nil if the signature is wrong.
    func value<Value: Decodable>(of token: some StringProtocol, for purpose: String, as type: Value.Type) -> Value? {
        guard token.utf8.count <= 4096 else { return nil }
        let parts = token.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 2, isValid(parts[1], of: String(parts[0]), for: purpose),
            let body = Base64URL.data(parts[0])
        else { return nil }
        return try? JSONDecoder().decode(type, from: body)
    }
}
