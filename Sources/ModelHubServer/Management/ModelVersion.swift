/// A valid file of a model. Versions are numbered, and the hub keeps all of them.
public struct ModelVersion: Sendable, Hashable {
    /// The number, from 1.
    public var number: Int
    /// The hash of its contents.
    public var hash: BlobHash
    /// The size in bytes.
    public var byteCount: Int
    /// The time of its addition.
    public var createTime: Timestamp
    /// The caller that added it; empty if an earlier hub added it.
    public var actor: String
    /// The object that it came from.
    public var source: String
    /// The model's inputs, outputs and use, as JSON; null for all but the last ``inspectionLimit`` versions and those
    /// that are served or have an alias.
    public var inspection: String
    /// The reason why the hub cannot run it, if it cannot; other runtimes may.
    public var warning: String?
    /// The confidence, from 0 to 1, below which clients drop results unless they set their own threshold; nil if it is
    /// not set.
    public var confidenceThreshold: Double?
    /// What people should know about the version, such as its training pictures; empty if there are no notes.
    public var notes: String

    /// The number of versions of a model that are stored with their inspection.
    public static let inspectionLimit = 20

    /// Creates a version.
    public init(
        number: Int,
        hash: BlobHash,
        byteCount: Int,
        createTime: Timestamp,
        actor: String = "",
        source: String,
        inspection: String,
        warning: String? = nil,
        confidenceThreshold: Double? = nil,
        notes: String = ""
    ) {
        self.number = number
        self.hash = hash
        self.byteCount = byteCount
        self.createTime = createTime
        self.actor = actor
        self.source = source
        self.inspection = inspection
        self.warning = warning
        self.confidenceThreshold = confidenceThreshold
        self.notes = notes
    }

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
