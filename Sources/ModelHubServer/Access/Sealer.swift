import Crypto
import Foundation
import ModelHubProtocol

/// Encrypts texts that the hub stores and later needs again (AES-256-GCM).
struct Sealer: Sendable {
    private let key: SymmetricKey

    init(key: SymmetricKey) { self.key = key }

    /// A text, encrypted and in base64url.
    func sealed(_ text: String) throws -> String {
        // The usual nonce of 12 bytes gives the box its combined form.
        guard let box = try AES.GCM.seal(Data(text.utf8), using: key).combined else {
            throw CryptoKitError.incorrectParameterSize
        }
        return Base64URL.text(box)
    }

    /// The text that was sealed; nil with another key, or if it was altered.
    func opened(_ text: String) -> String? {
        guard let data = Base64URL.data(text), let box = try? AES.GCM.SealedBox(combined: data),
            let opened = try? AES.GCM.open(box, using: key)
        else { return nil }
        return String(data: opened, encoding: .utf8)
    }
}
