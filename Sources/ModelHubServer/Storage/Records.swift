import Foundation

/// A project, which owns models, credentials and uploads.
public struct Project: Sendable, Hashable, Codable {
    /// The id: 6 to 30 lower-case letters, digits and hyphens, beginning with a letter.
    public var id: String
    /// The number, which clients may use instead of the id.
    public var number: Int64
    /// The time of its creation.
    public var createTime: Timestamp
    /// The maximum size of its files in bytes; nil for no limit.
    public var quota: Int?
    /// Whether a download requires an installation token in addition to the API key.
    public var requiresInstallation: Bool
}

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
    }

    /// The served file.
    public struct File: Sendable, Hashable {
        /// The number of its version, from 1.
        public var version: Int
        /// The hash of its contents.
        public var hash: BlobHash
        /// The size in bytes.
        public var byteCount: Int
        /// The reason why the hub cannot run it, if it cannot; other runtimes may.
        public var warning: String?
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
    /// The origin of the newest file.
    public var source: Source?
    /// The error of the newest file; nil if it is valid.
    public var validationError: ValidationError?
    /// The newest valid file.
    public var file: File?
    /// The confidence, from 0 to 1, below which clients drop results unless they set their own threshold; nil if it is
    /// not set.
    public var confidenceThreshold: Double?
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
}

/// A current or former valid file of a model.
public struct ModelVersion: Sendable, Hashable {
    /// The number, from 1.
    public var number: Int
    /// The hash of its contents.
    public var hash: BlobHash
    /// The size in bytes.
    public var byteCount: Int
    /// The time of its addition.
    public var createTime: Timestamp
    /// The object that it came from.
    public var source: String
    /// The model's inputs, outputs and use, as JSON; null for all but the last ``inspectionLimit`` versions.
    public var inspection: String

    /// The number of versions of a model that are stored with their inspection.
    public static let inspectionLimit = 20

    /// The reason why the hub cannot run it, if it cannot; other runtimes may.
    public var warning: String?

    /// The version as the served file.
    var file: ModelRecord.File {
        ModelRecord.File(version: number, hash: hash, byteCount: byteCount, warning: warning)
    }
}

/// An uploaded file.
public struct StorageObject: Sendable, Hashable {
    /// The project that uploaded the file.
    public var project: String
    /// The bucket; projects may use the same names of buckets.
    public var bucket: String
    /// The name, which may contain slashes.
    public var name: String
    /// The hash of its contents.
    public var hash: BlobHash
    /// The size in bytes.
    public var byteCount: Int
    /// The CRC-32C in the format of the storage API.
    public var crc32c: String
    /// The MD5 in the format of the storage API.
    public var md5: String
    /// The media type according to the uploader.
    public var contentType: String
    /// The time of the upload.
    public var createTime: Timestamp

    /// The address.
    public var uri: String { "gs://\(bucket)/\(name)" }
}

/// An entry of the audit log.
public struct AuditEntry: Sendable, Hashable, Codable {
    /// The time.
    public var time: Timestamp
    /// The project.
    public var project: String
    /// The caller: a credential's id and name, or `local` for the command line.
    public var actor: String
    /// The action, for example `model.create`.
    public var action: String
    /// The target, for example a model's resource name.
    public var target: String
    /// Further details, for example the new hash.
    public var detail: String
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

    /// `projects/{project}/models/{id}`.
    public var resourceName: String { "projects/\(project)/models/\(id)" }
}
