/// The store for models and their versions.
public protocol ModelStore: Sendable {
    /// Adds a model, assigns an id and adds its first version, if any. Throws `.alreadyExists` if its name is taken.
    ///
    /// The file of a version must be stored: this throws `.aborted` if the ``BlobIndex`` has no such file, or is about
    /// to remove it, and `.resourceExhausted` if the project's quota has no room for the version.
    func insert(_ model: ModelRecord, version: ModelVersion?, audit: AuditEntry) async throws -> ModelRecord
    /// Replaces a model that still has an etag, and adds a version, if any; false if it changed meanwhile. If the model
    /// already has a version with that number, only its threshold and its notes are replaced.
    ///
    /// Throws the same errors as ``insert(_:version:audit:)``.
    func update(_ model: ModelRecord, replacing etag: String, version: ModelVersion?, audit: AuditEntry) async throws
        -> Bool
    /// Removes a model and its versions; false if the model does not exist.
    func deleteModel(_ id: Int64, of project: String, at time: Timestamp, audit: AuditEntry) async throws -> Bool
    /// The model with the given id.
    func model(_ id: Int64, of project: String) async throws -> ModelRecord?
    /// The model with the given display name.
    func model(named name: String, of project: String) async throws -> ModelRecord?
    /// The models that match a filter, by id, after an id.
    func models(of project: String, where filter: ModelFilter?, after id: Int64, limit: Int) async throws
        -> [ModelRecord]
    /// The versions of a model, oldest first.
    func versions(of model: Int64) async throws -> [ModelVersion]
    /// The versions of a model before another version, or all versions, newest first.
    func versions(of model: Int64, before number: Int?, limit: Int) async throws -> [ModelVersion]
    /// A version of a model.
    func version(_ number: Int, of model: Int64) async throws -> ModelVersion?
}
