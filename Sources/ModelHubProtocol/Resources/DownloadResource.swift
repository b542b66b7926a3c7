import DurableFiles
import Foundation

/// The response to `:download`: the address of a model's newest file.
package struct DownloadResource: Codable, Sendable, Hashable {
    /// The largest size that the format of models, FlatBuffers, can address.
    package static let maximumByteCount = Int(Int32.max)

    /// The address of the file, valid until it expires.
    package var downloadUri: String
    /// RFC 3339.
    package var expireTime: String?
    /// A decimal string, because numbers in JSON cannot represent 64 bits.
    package var sizeBytes: String
    /// See ``HostedFormat``.
    package var modelFormat: String?
    /// An addition to Firebase's response: the confidence, from 0 to 1, below which clients drop results.
    package var confidenceThreshold: Double?

    /// Creates a response.
    package init(
        downloadUri: String,
        expireTime: String,
        byteCount: Int,
        format: HostedFormat = .tensorFlowLite,
        confidenceThreshold: Double? = nil
    ) {
        self.downloadUri = downloadUri
        self.expireTime = expireTime
        sizeBytes = "\(byteCount)"
        modelFormat = format.rawValue
        self.confidenceThreshold = confidenceThreshold
    }

    /// The size of the file in bytes; nil if no model has this size.
    package var byteCount: Int? {
        Int(sizeBytes).flatMap { (1...Self.maximumByteCount).contains($0) ? $0 : nil }
    }

    /// The response as JSON. Every download asks for it, and an encoder would take several times as long.
    package var json: String {
        var text = "{\"downloadUri\":\(Self.quoted(downloadUri))"
        if let expireTime { text += ",\"expireTime\":\(Self.quoted(expireTime))" }
        text += ",\"sizeBytes\":\(Self.quoted(sizeBytes))"
        if let modelFormat { text += ",\"modelFormat\":\(Self.quoted(modelFormat))" }
        if let confidenceThreshold { text += ",\"confidenceThreshold\":\(confidenceThreshold)" }
        return text + "}"
    }

    /// A text as a string of JSON (RFC 8259, section 7).
    private static func quoted(_ text: String) -> String {
        guard text.utf8.contains(where: { $0 < 32 || $0 == UInt8(ascii: "\"") || $0 == UInt8(ascii: "\\") }) else {
            return "\"\(text)\""
        }
        var quoted = "\""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"", "\\": quoted += "\\\(scalar)"
            case "\0"..<" ": quoted += "\\u00" + [UInt8(scalar.value)].hexadecimalText
            default: quoted.unicodeScalars.append(scalar)
            }
        }
        return quoted + "\""
    }
}
