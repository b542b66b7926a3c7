import ModelHubProtocol

/// A stored model.
public struct ModelRecord: Sendable, Hashable {
    /// The origin of a model's file.
    public enum Source: Sendable, Hashable {
        /// An object in the hub's own storage, `gs://bucket/object`.
        case object(uri: String)
        /// A model of AutoML, which the hub cannot fetch.
        case autoML(name: String)
    }

    /// The reason why its newest file cannot be published.
    public struct ValidationError: Sendable, Hashable, Codable {
        /// A code of ``RPCCode``.
        public var code: Int
        /// The message.
        public var message: String

        /// Creates an error.
        public init(
            code: Int,
            message: String
        ) {
            self.code = code
            self.message = message
        }
    }

    /// The file of the served version.
    public struct File: Sendable, Hashable {
        /// The number of its version, from 1.
        public var version: Int
        /// The hash of its contents.
        public var hash: BlobHash
        /// The size in bytes.
        public var byteCount: Int
        /// The reason why the hub cannot run it, if it cannot; other runtimes may.
        public var warning: String?
        /// See ``ModelVersion/confidenceThreshold``.
        public var confidenceThreshold: Double?

        /// Creates the description of a file.
        public init(
            version: Int,
            hash: BlobHash,
            byteCount: Int,
            warning: String? = nil,
            confidenceThreshold: Double? = nil
        ) {
            self.version = version
            self.hash = hash
            self.byteCount = byteCount
            self.warning = warning
            self.confidenceThreshold = confidenceThreshold
        }
    }

    /// The number of the model, which the store assigns.
    public var id: Int64
    /// The project's id.
    public var project: String
    /// The name by which clients download it, unique in the project.
    public var displayName: String
    /// Words for finding the model.
    public var tags: [String]
    /// The time of its creation.
    public var createTime: Timestamp
    /// The time of its last change.
    public var updateTime: Timestamp
    /// The etag, which changes with every change.
    public var etag: String
    /// Whether clients may download it.
    public var isPublished: Bool
    /// The origin of the newest file that Firebase's clients know.
    public var source: Source?
    /// The error of that file; nil if it is valid.
    public var validationError: ValidationError?
    /// The file of the served version; nil if no version was served yet.
    public var file: File?
    /// The versions that aliases name. The alias `production` is not among them: it names the served version.
    public var aliases: [ModelAlias: Int]
    /// Description, license and author.
    public var card: ModelCard

    /// Creates a model; the store assigns its id.
    public init(
        id: Int64 = 0,
        project: String,
        displayName: String,
        tags: [String] = [],
        createTime: Timestamp,
        updateTime: Timestamp,
        etag: String,
        isPublished: Bool = false,
        source: Source? = nil,
        validationError: ValidationError? = nil,
        file: File? = nil,
        aliases: [ModelAlias: Int] = [:],
        card: ModelCard = ModelCard()
    ) {
        self.id = id
        self.project = project
        self.displayName = displayName
        self.tags = tags
        self.createTime = createTime
        self.updateTime = updateTime
        self.etag = etag
        self.isPublished = isPublished
        self.source = source
        self.validationError = validationError
        self.file = file
        self.aliases = aliases
        self.card = card
    }
}

extension ModelRecord {
    /// `projects/{project}/models/{id}`.
    public var resourceName: String { "projects/\(project)/models/\(id)" }
}
