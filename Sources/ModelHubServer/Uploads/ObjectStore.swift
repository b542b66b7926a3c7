/// The store for the records of uploaded files.
public protocol ObjectStore: Sendable {
    /// Adds or replaces an object, whose file the caller has claimed and stored, and ends the claim. `upload` is the id of
    /// the resumable upload, if any, whose record ends too.
    ///
    /// Throws `.aborted` if there is no claim, and `.resourceExhausted` if the project's quota has no room for the
    /// object; then the claim remains.
    func put(_ object: StorageObject, upload: String?, audit: AuditEntry) async throws
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
    /// Removes objects that are older than a moment and that no version uses; returns their number.
    func dropUnusedObjects(before moment: Timestamp, now: Timestamp) async throws -> Int
}
