/// A valid file of a model. Versions are numbered, and the hub keeps all of them.
package struct ModelVersion: Sendable, Hashable {
    /// The number, from 1.
    package var number: Int
    /// The hash of its contents.
    package var hash: BlobHash
    /// The size in bytes.
    package var byteCount: Int
    /// The time of its addition.
    package var createTime: Timestamp
    /// The caller that added it; empty if an earlier hub added it.
    package var actor = ""
    /// The object that it came from.
    package var source: String
    /// The model's inputs, outputs and use, as JSON; null for all but the last ``inspectionLimit`` versions and those
    /// that are served or have an alias.
    package var inspection: String
    /// The reason why the hub cannot run it, if it cannot; other runtimes may.
    package var warning: String?
    /// The confidence, from 0 to 1, below which clients drop results unless they set their own threshold; nil if it is
    /// not set.
    package var confidenceThreshold: Double?
    /// Notes for people about the version, such as its training pictures; empty if there are no notes.
    package var notes = ""

    /// The number of versions of a model that are stored with their inspection.
    package static let inspectionLimit = 20

    /// The version as the served file.
    var file: ModelRecord.File {
        ModelRecord.File(
            version: number,
            hash: hash,
            byteCount: byteCount,
            warning: warning,
            confidenceThreshold: confidenceThreshold
        )
    }
}
