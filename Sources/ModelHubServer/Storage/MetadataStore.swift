import Foundation

/// Where the hub's records lie. Every method is one transaction: done and durable, or not done at all.
///
/// Those that change something take the line that the audit log gets in the same transaction.
public protocol MetadataStore: ConfigurationStore, ConsoleStore, EvaluationStore {
    /// The key with which this hub signs tokens and addresses; made once.
    func signingKey() async throws -> [UInt8]

    /// Adds a project, and gives it a number if its own is 0. Throws `.alreadyExists` if the id or the number is taken.
    func insert(_ project: Project, audit: AuditEntry) async throws -> Project
    /// Changes what may change of a project: quota and the need of installation tokens.
    func update(_ project: Project, audit: AuditEntry) async throws
    /// The project with an id or number.
    func project(_ idOrNumber: String) async throws -> Project?
    /// All projects, by id.
    func projects() async throws -> [Project]
    /// Removes a project without models. Throws `.failedPrecondition` if it has some.
    func deleteProject(_ id: String, audit: AuditEntry) async throws
    /// How much of its quota a project uses.
    func usage(of project: String) async throws -> ProjectUsage

    /// Adds a credential. Throws `.alreadyExists` if its secret is that of another.
    func insert(_ credential: Credential, audit: AuditEntry) async throws
    /// The credential with an id, revoked or not.
    func credential(id: String) async throws -> Credential?
    /// The credential whose secret has a SHA-256, revoked or not.
    func credential(secretHash: [UInt8]) async throws -> Credential?
    /// The credentials of a project, oldest first.
    func credentials(of project: String) async throws -> [Credential]
    /// Ends the validity of a credential; gives false if there is none with the id in the project.
    func revoke(credential id: String, of project: String, at time: Timestamp, audit: AuditEntry) async throws -> Bool

    /// Adds a model, gives it an id and adds its first version, if any. Throws `.alreadyExists` if its name is taken.
    ///
    /// `contains` is asked under the lock that keeps files from being removed; `.aborted` is thrown if the version's
    /// file has gone meanwhile.
    func insert(
        _ model: ModelRecord,
        version: ModelVersion?,
        audit: AuditEntry,
        contains: @escaping @Sendable (BlobHash) -> Bool
    ) async throws -> ModelRecord
    /// Replaces a model that still has an etag, and adds a version, if any; gives false if it has changed meanwhile.
    ///
    /// Throws as ``insert(_:version:audit:contains:)`` does.
    func update(
        _ model: ModelRecord,
        replacing etag: String,
        version: ModelVersion?,
        audit: AuditEntry,
        contains: @escaping @Sendable (BlobHash) -> Bool
    ) async throws -> Bool
    /// Removes a model and its versions; gives false if there is none.
    func deleteModel(_ id: Int64, of project: String, at time: Timestamp, audit: AuditEntry) async throws -> Bool
    /// The model with an id.
    func model(_ id: Int64, of project: String) async throws -> ModelRecord?
    /// The model with a display name.
    func model(named name: String, of project: String) async throws -> ModelRecord?
    /// The project of an API key and what it serves under a display name: all that the most frequent of requests wants, at once.
    /// Nil if the secret is no valid API key. It must be quick: the thread that asks also serves other clients.
    func download(apiKeyHash: [UInt8], modelNamed name: String) async throws -> DownloadLookup?
    /// Models that a filter lets through, by id, after an id.
    func models(of project: String, where filter: ModelFilter?, after id: Int64, limit: Int) async throws
        -> [ModelRecord]
    /// The versions of a model, oldest first.
    func versions(of model: Int64) async throws -> [ModelVersion]
    /// Versions of a model before another, or all, newest first.
    func versions(of model: Int64, before number: Int?, limit: Int) async throws -> [ModelVersion]
    /// A version of a model.
    func version(_ number: Int, of model: Int64) async throws -> ModelVersion?

    /// Adds or replaces an object. `upload` is the id of the upload in several requests that brought it, if one did.
    ///
    /// Throws `.aborted` if its file has gone meanwhile, and `.resourceExhausted` if the project's quota has no room for it.
    func put(
        _ object: StorageObject,
        upload: String?,
        audit: AuditEntry,
        contains: @escaping @Sendable (BlobHash) -> Bool
    ) async throws
    /// The object with a name.
    func object(_ name: String, in bucket: String, of project: String) async throws -> StorageObject?
    /// Whether a project has objects in a bucket.
    func hasObjects(in bucket: String, of project: String) async throws -> Bool
    /// The object that an upload in several requests brought, unless another has taken its place.
    func object(ofUpload id: String, of project: String) async throws -> StorageObject?
    /// Removes an object; gives false if there is none.
    func deleteObject(
        _ name: String,
        in bucket: String,
        of project: String,
        at time: Timestamp,
        audit: AuditEntry
    ) async throws -> Bool

    /// The newest lines of the audit log, newest first.
    func auditLog(of project: String, limit: Int) async throws -> [AuditEntry]

    /// All files that a version or an object needs, and their sizes.
    func referencedBlobs() async throws -> [BlobHash: Int]
    /// Drops objects older than a moment that no version came from.
    func dropUnusedObjects(before moment: Timestamp, now: Timestamp) async throws -> Int
    /// Calls `remove` for those of the hashes that nothing refers to and nothing has referred to since a moment, while
    /// no transaction can begin to refer to them.
    func removeUnreferenced(
        _ hashes: [BlobHash],
        since moment: Timestamp,
        remove: @escaping @Sendable (BlobHash) throws -> Void
    ) async throws -> Int

    /// Whether the store can be read and written.
    func check() async throws
    /// Writes a consistent copy of all records into a new file while others read and write.
    func backUp(to url: URL) async throws
    /// What is damaged, in words; empty if nothing is.
    func integrityProblems() async throws -> [String]
}
