import ModelHubProtocol

/// The store for what apps ask for all the time: the files of published models, and the counts of their downloads.
public protocol DownloadStore: Sendable {
    /// The project of an API key, and the version with an alias of the published model with a display name. For the
    /// alias `production`, the most frequent request, it is a single look-up. Nil if the secret is not a valid API key.
    /// It must be fast: the calling thread also serves other clients.
    func download(
        apiKeyHash: [UInt8],
        modelNamed name: String,
        alias: ModelAlias
    ) async throws -> DownloadLookup?
    /// Adds downloads of each file of models, by the numbers of the models; deleted models are ignored. If several
    /// versions of a model have a file, its downloads count for the newest of them.
    func addDownloads(_ counts: [Int64: [BlobHash: Int]], at time: Timestamp) async throws
    /// The number of downloads of a model.
    func downloads(of model: Int64) async throws -> Int
    /// The number of downloads of each version of a model, by the numbers of the versions. Versions without downloads
    /// are absent, and so are downloads that an earlier hub counted.
    func versionDownloads(of model: Int64) async throws -> [Int: Int]
}

/// The part of a version of a model that clients see.
public struct ServedModel: Sendable, Hashable {
    /// The number of the model, by which downloads are counted.
    public var id: Int64
    /// The name by which clients download it.
    public var displayName: String
    /// The hash of its contents.
    public var hash: BlobHash
    /// The size in bytes.
    public var byteCount: Int
    /// See ``ModelVersion/confidenceThreshold``.
    public var confidenceThreshold: Double?

    /// Creates the description of a version.
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
    /// The wanted version of the published model with the name, if any.
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
    /// The part of the served version that clients see; nil if the model is not published or serves no version.
    var served: ServedModel? {
        guard isPublished, let file else { return nil }
        return ServedModel(
            id: id,
            displayName: displayName,
            hash: file.hash,
            byteCount: file.byteCount,
            confidenceThreshold: file.confidenceThreshold
        )
    }
}

extension ModelVersion {
    /// The part of a model's version that clients see.
    func served(of model: ModelRecord) -> ServedModel {
        ServedModel(
            id: model.id,
            displayName: model.displayName,
            hash: hash,
            byteCount: byteCount,
            confidenceThreshold: confidenceThreshold
        )
    }
}
