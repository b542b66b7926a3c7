import Foundation
import ModelHubProtocol

/// A hub's description of a model's newest version.
package struct ModelInfo: Sendable, Hashable {
    /// The SHA-256 of the file, as 64 lowercase hexadecimal digits.
    package var hash: String
    /// The size of the file in bytes.
    package var size: Int
    /// The format of the file.
    package var format: HostedFormat
    /// The address of the file, valid until it expires.
    package var address: String
    /// The hub's confidence threshold: results below it are dropped unless the options set another threshold.
    package var confidenceThreshold: Float?
    /// The installation's part in a rollout of the model; nil if none is under way.
    var rollout: RolloutPart?
    /// The rollout that chose this version; nil if this installation's results are not compared.
    package var assignment: ExperimentAssignment? { rollout?.assignment }
    /// The signed manifest that came with the description, not yet verified; nil to ask for it.
    var manifest: Data?
    /// Whether a manifest that the app trusts names these bytes.
    var isApproved = false

    /// Reads the response to `:download`.
    ///
    /// - Throws: `HubFailure.invalidReply` if the response lacks a required field.
    package init(
        _ body: Data,
        etag: EntityTag?,
        confidenceThreshold: Float? = nil
    ) throws(HubFailure) {
        guard let hash = etag?.sha256 else { throw .invalidReply(reason: "its ETag is not a SHA-256") }
        guard let resource = try? JSONDecoder().decode(DownloadResource.self, from: body) else {
            throw .invalidReply(reason: "the file's address is missing")
        }
        guard let size = resource.byteCount else {
            throw .invalidReply(reason: "\"\(resource.sizeBytes.prefix(40))\" is not the size of a model")
        }
        self.hash = hash
        self.size = size
        format = resource.modelFormat.flatMap { HostedFormat(rawValue: $0) } ?? .tensorFlowLite
        address = resource.downloadUri
        self.confidenceThreshold = confidenceThreshold
    }
}
