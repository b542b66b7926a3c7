import Foundation

/// A hub's description of a model's newest version.
struct ModelInfo: Sendable, Hashable {
    var hash: String
    var size: Int
    /// The address of the file, valid until it expires.
    var address: String
    /// When the address expires; nil if the hub's date cannot be read. Then every refusal counts as a possible expiry.
    var expiry: Date?
    /// The hub's confidence threshold: results below it are dropped unless the options set another threshold.
    var confidenceThreshold: Float?

    private struct Body: Decodable {
        var downloadUri: String
        var expireTime: String?
        var sizeBytes: String
    }

    /// Reads a response.
    ///
    /// - Throws: ``DownloadError/internalError(model:reason:)`` if the response lacks a required field.
    init(_ data: Data, etag: String?, confidenceThreshold: Float?, model: String) throws(DownloadError) {
        guard let hash = ModelHash.hash(inETag: etag) else {
            throw .internalError(model: model, reason: "its ETag is not a SHA-256")
        }
        guard let body = try? JSONDecoder().decode(Body.self, from: data) else {
            throw .internalError(model: model, reason: "the file's address is missing")
        }
        guard let size = Int(body.sizeBytes), size > 0, size <= Self.maximumSize else {
            throw .internalError(model: model, reason: "\"\(body.sizeBytes)\" is not the size of a model")
        }
        self.hash = hash
        self.size = size
        address = body.downloadUri
        expiry = body.expireTime.flatMap(Self.date)
        self.confidenceThreshold = confidenceThreshold
    }

    /// The largest size that the format of models, FlatBuffers, can address.
    static let maximumSize = Int(Int32.max)

    /// A time in the format of RFC 3339, with or without a fraction of a second.
    static func date(_ text: String) -> Date? {
        if let date = try? Date(text, strategy: Date.ISO8601FormatStyle(includingFractionalSeconds: true)) {
            return date
        }
        return try? Date(text, strategy: Date.ISO8601FormatStyle())
    }
}
