import DurableFiles
import Foundation
import Sightline

/// The model of an evaluation.
public struct EvaluatedModel: Sendable, Hashable, Codable {
    /// The file's name.
    public var name: String
    /// The SHA-256 of the file, in lower-case hexadecimal digits.
    public var sha256: String
    /// The size of the file in bytes.
    public var byteCount: Int

    /// Creates a description from its parts.
    public init(name: String, sha256: String, byteCount: Int) {
        self.name = name
        self.sha256 = sha256
        self.byteCount = byteCount
    }

    init(_ model: ModelSummary) {
        self.init(
            name: model.name,
            sha256: SHA256.hexadecimalDigest(of: model.data),
            byteCount: model.data.count
        )
    }
}
