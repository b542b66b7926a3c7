import Foundation

/// What a hub says of a model's newest version.
struct ModelInfo: Sendable, Hashable {
    var hash: String
    var size: Int
    /// Where the file is, until the address expires.
    var address: String
    /// nil if the hub does not say it in a way that can be read; then any refusal may be for its age.
    var expiry: Date?
    /// Below which confidence results are dropped unless somebody chooses another.
    var confidenceThreshold: Float?

    private struct Body: Decodable {
        var downloadUri: String
        var expireTime: String?
        var sizeBytes: String
    }

    /// What an answer says.
    ///
    /// - Throws: ``DownloadError/internalError(model:reason:)`` if it lacks what is needed.
    init(_ data: Data, etag: String?, confidenceThreshold: Float?, model: String) throws(DownloadError) {
        guard let hash = ModelHash.hash(inETag: etag) else {
            throw .internalError(model: model, reason: "its ETag is not a SHA-256")
        }
        guard let body = try? JSONDecoder().decode(Body.self, from: data) else {
            throw .internalError(model: model, reason: "it does not say where the file is")
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

    /// No model is larger than what its format, FlatBuffers, can address.
    static let maximumSize = Int(Int32.max)

    /// A time of RFC 3339, with a fraction of a second or without.
    static func date(_ text: String) -> Date? {
        if let date = try? Date(text, strategy: Date.ISO8601FormatStyle(includingFractionalSeconds: true)) {
            return date
        }
        return try? Date(text, strategy: Date.ISO8601FormatStyle())
    }
}
