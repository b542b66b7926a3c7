import DurableFiles
import Foundation

/// The signature of a webhook's request: `t=UNIX,v1=HEX`, where `HEX` is the HMAC-SHA256 (RFC 2104) of the time as it follows
/// `t=`, a period, and the body.
///
/// A receiver computes the HMAC of the received bytes, compares it in constant time, and refuses times that are old.
package struct WebhookSignature: Sendable, Hashable {
    /// The name of the header.
    package static let header = "Sightline-Signature"

    /// The value of the header.
    package let text: String

    /// Signs a body.
    package init(of body: [UInt8], secret: String, date: Date) {
        let time = "\(Int(date.timeIntervalSince1970.rounded(.down)))"
        let code = Self.authenticationCode(of: Array("\(time).".utf8) + body, key: Array(secret.utf8))
        text = "t=\(time),v1=\(code.hexadecimalText)"
    }

    /// HMAC-SHA256 (RFC 2104).
    package static func authenticationCode(of message: [UInt8], key: [UInt8]) -> [UInt8] {
        let blockSize = 64
        var key = key.count > blockSize ? digest(key) : key
        key += [UInt8](repeating: 0, count: blockSize - key.count)
        return digest(key.map { $0 ^ 0x5C } + digest(key.map { $0 ^ 0x36 } + message))
    }

    private static func digest(_ bytes: [UInt8]) -> [UInt8] {
        var hash = SHA256()
        bytes.withUnsafeBytes { hash.update($0) }
        return hash.digest
    }
}
