import Foundation

/// The store for the hub's records. Every method is a transaction: it takes effect durably, or not at all.
///
/// Methods that change records write an entry of the audit log in the same transaction.
public protocol MetadataStore: ConfigurationStore, ConsoleStore, EvaluationStore {
    /// The key with which this hub signs tokens and addresses; created once.
    func signingKey() async throws -> [UInt8]

    /// Adds a project, and assigns a number if its own is 0. Throws `.alreadyExists` if the id or the number is taken.
    func insert(_ project: Project, audit: AuditEntry) async throws -> Project
    /// Updates the changeable properties of a project: the quota and the requirement of installation tokens.
    func update(_ project: Project, audit: AuditEntry) async throws
    /// The project with the given id or number.
    func project(_ idOrNumber: String) async throws -> Project?
    /// All projects, by id.
    func projects() async throws -> [Project]
    /// Removes a project without models. Throws `.failedPrecondition` if it has models.
    func deleteProject(_ id: String, audit: AuditEntry) async throws
    /// The usage of a project's quota.
    func usage(of project: String) async throws -> ProjectUsage

    /// Adds a credential. Throws `.alreadyExists` if another credential has its secret.
    func insert(_ credential: Credential, audit: AuditEntry) async throws
    /// The credential with the given id, revoked or not.
    func credential(id: String) async throws -> Credential?
    /// The credential whose secret has the given SHA-256, revoked or not.
    func credential(secretHash: [UInt8]) async throws -> Credential?
    /// The credentials of a project, oldest first.
    func credentials(of project: String) async throws -> [Credential]
    /// Revokes a credential; false if the project has no credential with this id.
    func revoke(credential id: String, of project: String, at time: Timestamp, audit: AuditEntry) async throws -> Bool

    /// Adds a model, assigns an id and adds its first version, if any. Throws `.alreadyExists` if its name is taken.
    ///
    /// The store calls `contains` under the lock that prevents the removal of files, and throws `.aborted` if the
    /// version's file was removed meanwhile.
    func insert(
        _ model: ModelRecord,
        version: ModelVersion?,
        audit: AuditEntry,
        contains: @escaping @Sendable (BlobHash) -> Bool
    ) async throws -> ModelRecord
    /// Replaces a model that still has an etag, and adds a version, if any; false if it changed meanwhile.
    ///
    /// Throws the same errors as ``insert(_:version:audit:contains:)``.
    func update(
        _ model: ModelRecord,
        replacing etag: String,
        version: ModelVersion?,
        audit: AuditEntry,
        contains: @escaping @Sendable (BlobHash) -> Bool
    ) async throws -> Bool
    /// Removes a model and its versions; false if the model does not exist.
    func deleteModel(_ id: Int64, of project: String, at time: Timestamp, audit: AuditEntry) async throws -> Bool
    /// The model with the given id.
    func model(_ id: Int64, of project: String) async throws -> ModelRecord?
    /// The model with the given display name.
    func model(named name: String, of project: String) async throws -> ModelRecord?
    /// The project of an API key and the published model with a display name, in a single look-up for the most frequent
    /// request. Nil if the secret is not a valid API key. It must be fast: the calling thread also serves other
    /// clients.
    func download(apiKeyHash: [UInt8], modelNamed name: String) async throws -> DownloadLookup?
    /// The models that match a filter, by id, after an id.
    func models(of project: String, where filter: ModelFilter?, after id: Int64, limit: Int) async throws
        -> [ModelRecord]
    /// The versions of a model, oldest first.
    func versions(of model: Int64) async throws -> [ModelVersion]
    /// The versions of a model before another version, or all versions, newest first.
    func versions(of model: Int64, before number: Int?, limit: Int) async throws -> [ModelVersion]
    /// A version of a model.
    func version(_ number: Int, of model: Int64) async throws -> ModelVersion?

    /// Adds or replaces an object. `upload` is the id of the resumable upload, if any.
    ///
    /// Throws `.aborted` if its file was removed meanwhile, and `.resourceExhausted` if the project's quota has no room for it.
    func put(
        _ object: StorageObject,
        upload: String?,
        audit: AuditEntry,
        contains: @escaping @Sendable (BlobHash) -> Bool
    ) async throws
    /// The object with the given name.
    func object(_ name: String, in bucket: String, of project: String) async throws -> StorageObject?
    /// Whether a project has objects in a bucket.
    func hasObjects(in bucket: String, of project: String) async throws -> Bool
    /// The object of a resumable upload, unless another object replaced it.
    func object(ofUpload id: String, of project: String) async throws -> StorageObject?
    /// Removes an object; false if it does not exist.
    func deleteObject(
        _ name: String,
        in bucket: String,
        of project: String,
        at time: Timestamp,
        audit: AuditEntry
    ) async throws -> Bool

    /// The newest entries of the audit log, newest first.
    func auditLog(of project: String, limit: Int) async throws -> [AuditEntry]

    /// All files that a version or an object needs, and their sizes.
    func referencedBlobs() async throws -> [BlobHash: Int]
    /// Removes objects that are older than a moment and that no version uses.
    func dropUnusedObjects(before moment: Timestamp, now: Timestamp) async throws -> Int
    /// Calls `remove` for those hashes that have had no references since a moment, while no transaction can add a
    /// reference to them.
    func removeUnreferenced(
        _ hashes: [BlobHash],
        since moment: Timestamp,
        remove: @escaping @Sendable (BlobHash) throws -> Void
    ) async throws -> Int

    /// Checks that the store can be read and written.
    func check() async throws
    /// Writes a consistent copy of all records into a new file while others read and write.
    func backUp(to url: URL) async throws
    /// Descriptions of damage; empty if there is none.
    func integrityProblems() async throws -> [String]
}
