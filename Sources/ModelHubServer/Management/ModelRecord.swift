import ModelHubProtocol

/// A stored model.
package struct ModelRecord: Sendable, Hashable {
    /// The origin of a model's file.
    package enum Source: Sendable, Hashable {
        /// An object in the hub's own storage, `gs://bucket/object`.
        case object(uri: String)
        /// A model of AutoML, which the hub cannot fetch.
        case autoML(name: String)
    }

    /// The reason why its newest file cannot be published.
    package struct ValidationError: Sendable, Hashable, Codable {
        /// A code of ``RPCCode``.
        package var code: Int
        /// The message.
        package var message: String

        /// Creates an error.
        package init(
            code: Int,
            message: String
        ) {
            self.code = code
            self.message = message
        }
    }

    /// The file of the served version.
    package struct File: Sendable, Hashable {
        /// The number of its version, from 1.
        package var version: Int
        /// The hash of its contents.
        package var hash: BlobHash
        /// The size in bytes.
        package var byteCount: Int
        /// The reason why the hub cannot run it, if it cannot; other runtimes may.
        package var warning: String?
        /// See ``ModelVersion/confidenceThreshold``.
        package var confidenceThreshold: Double?
    }

    /// The number of the model, which the store assigns.
    package var id: Int64 = 0
    /// The project's id.
    package var project: String
    /// The name by which clients download it, unique in the project.
    package var displayName: String
    /// Words for finding the model.
    package var tags: [String] = []
    /// The time of its creation.
    package var createTime: Timestamp
    /// The time of its last change.
    package var updateTime: Timestamp
    /// The etag, which changes with every change.
    package var etag: String
    /// Whether clients may download it.
    package var isPublished = false
    /// The origin of the newest file that Firebase's clients know.
    package var source: Source?
    /// The error of that file; nil if it is valid.
    package var validationError: ValidationError?
    /// The file of the served version; nil if no version was served yet.
    package var file: File?
    /// The versions that aliases name. The alias `production` is not among them: it names the served version.
    package var aliases: [ModelAlias: Int] = [:]
    /// Description, license and author.
    package var card = ModelCard()
}

extension ModelRecord {
    /// `projects/{project}/models/{id}`.
    package var resourceName: String { "projects/\(project)/models/\(id)" }
}
