/// The store for what apps ask for all the time: the files of published models, and the counts of their downloads.
public protocol DownloadStore: Sendable {
    /// The project of an API key and the published model with a display name, in a single look-up for the most frequent
    /// request. Nil if the secret is not an API key, or if the key was revoked. It must be fast: the calling thread also serves other
    /// clients.
    func download(apiKeyHash: [UInt8], modelNamed name: String) async throws -> DownloadLookup?
    /// Adds downloads of models; deleted models are ignored.
    func addDownloads(_ counts: [Int64: Int]) async throws
    /// The number of downloads of a model.
    func downloads(of model: Int64) async throws -> Int
}

/// The part of a published model that clients see.
public struct ServedModel: Sendable, Hashable {
    /// The number of the model, by which downloads are counted.
    public var id: Int64
    /// The name by which clients download it.
    public var displayName: String
    /// The hash of its contents.
    public var hash: BlobHash
    /// The size in bytes.
    public var byteCount: Int
    /// See ``ModelRecord/confidenceThreshold``.
    public var confidenceThreshold: Double?

    /// Creates the description of a published model.
    public init(
        id: Int64,
        displayName: String,
        hash: BlobHash,
        byteCount: Int,
        confidenceThreshold: Double? = nil
    ) {
        self.id = id
        self.displayName = displayName
        self.hash = hash
        self.byteCount = byteCount
        self.confidenceThreshold = confidenceThreshold
    }
}

/// The result of a look-up by an API key.
public struct DownloadLookup: Sendable, Hashable {
    /// The id of the key's project.
    public var project: String
    /// The number of the project.
    public var projectNumber: Int64
    /// Whether a download requires an installation token in addition to the API key.
    public var requiresInstallation: Bool
    /// The published model with the name, if any.
    public var model: ServedModel?
    /// The state of the key, which may have expired.
    public var key: CredentialState

    /// Creates the result of a look-up.
    public init(
        project: String,
        projectNumber: Int64,
        requiresInstallation: Bool,
        model: ServedModel? = nil,
        key: CredentialState
    ) {
        self.project = project
        self.projectNumber = projectNumber
        self.requiresInstallation = requiresInstallation
        self.model = model
        self.key = key
    }
}

extension ModelRecord {
    /// The part that clients see; nil if the model is not published or has no file.
    var served: ServedModel? {
        guard isPublished, let file else { return nil }
        return ServedModel(
            id: id,
            displayName: displayName,
            hash: file.hash,
            byteCount: file.byteCount,
            confidenceThreshold: confidenceThreshold
        )
    }
}
