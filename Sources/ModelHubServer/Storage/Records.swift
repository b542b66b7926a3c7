import Foundation

/// A project: what models, credentials and uploads belong to.
public struct Project: Sendable, Hashable, Codable {
    /// Its id, 6 to 30 lower-case letters, digits and hyphens, beginning with a letter.
    public var id: String
    /// Its number; clients may use it in place of the id.
    public var number: Int64
    /// When it was made.
    public var createTime: Timestamp
    /// How many bytes its files may have together; nil for no limit.
    public var quota: Int?
    /// Whether a download needs an installation token besides the API key.
    public var requiresInstallation: Bool
}

/// A model as it is stored.
public struct ModelRecord: Sendable, Hashable {
    /// Where its file comes from.
    public enum Source: Sendable, Hashable {
        /// An object of the hub's own storage, `gs://bucket/object`.
        case object(uri: String)
        /// A model of AutoML, which the hub cannot fetch.
        case autoML(name: String)
    }

    /// Why its newest file cannot be published.
    public struct ValidationError: Sendable, Hashable, Codable {
        /// A code of ``RPCCode``.
        public var code: Int
        /// What is wrong.
        public var message: String
    }

    /// The file that is served.
    public struct File: Sendable, Hashable {
        /// The version that brought it, from 1.
        public var version: Int
        /// Its content.
        public var hash: BlobHash
        /// Its size in bytes.
        public var byteCount: Int
        /// Why the hub cannot run it, if it cannot; other runtimes may.
        public var warning: String?
    }

    /// A number that the store hands out.
    public var id: Int64
    /// The project's id.
    public var project: String
    /// The name by which clients download it, unique in the project.
    public var displayName: String
    /// Words to find it by.
    public var tags: [String]
    /// When it was created.
    public var createTime: Timestamp
    /// When it last changed.
    public var updateTime: Timestamp
    /// Changes with every change.
    public var etag: String
    /// Whether clients may download it.
    public var isPublished: Bool
    /// Where the newest file came from.
    public var source: Source?
    /// What is wrong with the newest file; nil if it is valid.
    public var validationError: ValidationError?
    /// The newest valid file.
    public var file: File?
    /// Below which confidence, from 0 to 1, clients drop results unless they choose themselves; nil where nobody chose one.
    public var confidenceThreshold: Double?
}

/// A published model with a file, as far as clients learn of it.
public struct ServedModel: Sendable, Hashable {
    /// The model's number; downloads are counted by it.
    public var id: Int64
    /// The name by which clients download it.
    public var displayName: String
    /// Its content.
    public var hash: BlobHash
    /// Its size in bytes.
    public var byteCount: Int
    /// See ``ModelRecord/confidenceThreshold``.
    public var confidenceThreshold: Double?
}

/// What an API key leads to.
public struct DownloadLookup: Sendable, Hashable {
    /// The id of the key's project.
    public var project: String
    /// Its number.
    public var projectNumber: Int64
    /// Whether a download needs an installation token besides the API key.
    public var requiresInstallation: Bool
    /// The model, if one is published under the name.
    public var model: ServedModel?
}

/// A valid file that a model has or had.
public struct ModelVersion: Sendable, Hashable {
    /// 1 for the model's first.
    public var number: Int
    /// Its content.
    public var hash: BlobHash
    /// Its size in bytes.
    public var byteCount: Int
    /// When it was added.
    public var createTime: Timestamp
    /// The object that it came from.
    public var source: String
    /// What the model wants and gives, as JSON; null for all but the last ``inspectionLimit`` versions.
    public var inspection: String

    /// How many versions of a model are kept with what they want and give.
    public static let inspectionLimit = 20

    /// Why the hub cannot run it, if it cannot; other runtimes may.
    public var warning: String?

    /// The version as the file that is served.
    var file: ModelRecord.File {
        ModelRecord.File(version: number, hash: hash, byteCount: byteCount, warning: warning)
    }
}

/// An uploaded file.
public struct StorageObject: Sendable, Hashable {
    /// The project that uploaded it.
    public var project: String
    /// Its bucket, a name of its own in each project.
    public var bucket: String
    /// Its name; slashes are part of it.
    public var name: String
    /// Its content.
    public var hash: BlobHash
    /// Its size in bytes.
    public var byteCount: Int
    /// As the storage API gives it.
    public var crc32c: String
    /// As the storage API gives it.
    public var md5: String
    /// The media type that the uploader said.
    public var contentType: String
    /// When it was uploaded.
    public var createTime: Timestamp

    /// Its address.
    public var uri: String { "gs://\(bucket)/\(name)" }
}

/// A line of the audit log.
public struct AuditEntry: Sendable, Hashable, Codable {
    /// When.
    public var time: Timestamp
    /// In which project.
    public var project: String
    /// Who: a credential's id and name, or `local` for the command line.
    public var actor: String
    /// What was done, for example `model.create`.
    public var action: String
    /// To what, for example a model's resource name.
    public var target: String
    /// What else matters, for example the new hash.
    public var detail: String
}

extension ModelRecord {
    /// What clients learn of it; nil if it is not published or has no file.
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

    /// `projects/{project}/models/{id}`.
    public var resourceName: String { "projects/\(project)/models/\(id)" }
}
