import Foundation

/// A manifest with its signature, as a hub serves it: the text of the manifest, and a last line with the signature.
///
///     signature MEUCIQ…
///
/// The signature is Ed25519 (RFC 8032) over exactly the bytes before that line, in base64url without padding.
package struct SignedManifest: Sendable, Hashable {
    /// The largest size in bytes. A manifest has about 500.
    package static let maximumByteCount = 4096
    /// The size of a signature in bytes.
    package static let signatureByteCount = 64
    /// The type of its content.
    package static let contentType = "text/plain; charset=utf-8"

    /// The signed bytes.
    package let body: Data
    /// The signature, 64 bytes.
    package let signature: Data

    private static let word = "signature "

    /// Puts a signature under signed bytes.
    package init(body: Data, signature: Data) { (self.body, self.signature) = (body, signature) }

    /// Takes a signed manifest apart. The signed bytes are not looked at.
    ///
    /// - Throws: `ManifestFormatError.malformed`.
    package init(_ data: Data) throws(ManifestFormatError) {
        guard data.count <= Self.maximumByteCount else {
            throw .malformed("it has more than \(Self.maximumByteCount) bytes")
        }
        guard data.last == UInt8(ascii: "\n") else { throw .malformed("its end is missing") }
        let lines = data.dropLast()
        guard let end = lines.lastIndex(of: UInt8(ascii: "\n")) else { throw .malformed("it has only one line") }
        let last = String(decoding: lines[(end + 1)...], as: UTF8.self)
        guard last.hasPrefix(Self.word), let signature = Base64URL.data(last.dropFirst(Self.word.utf8.count)),
            signature.count == Self.signatureByteCount, Self.line(signature) == last
        else { throw .malformed("its last line is not a signature") }
        self.init(body: Data(data[...end]), signature: signature)
    }

    private static func line(_ signature: Data) -> String { word + Base64URL.text(signature) }

    /// The bytes that a hub serves.
    package var data: Data { body + Data("\(Self.line(signature))\n".utf8) }

    /// Reads the signed bytes, whose signature the caller has verified.
    ///
    /// - Throws: `ManifestFormatError`.
    package func manifest() throws(ManifestFormatError) -> ModelManifest {
        // Bytes that are not UTF-8 become other characters, which no manifest contains.
        try ModelManifest(String(decoding: body, as: UTF8.self))
    }
}
