/// The store for the records of uploads in several requests. The bytes are with the other files.
///
/// A record exists before the first byte of its upload is stored, and ends with the transaction that adds the object:
/// see ``ObjectStore/put(_:upload:audit:)``.
public protocol UploadStore: Sendable {
    /// Adds an upload.
    ///
    /// - Throws: `.resourceExhausted` if the project already has a number of uploads.
    func insert(_ upload: UploadRecord, limit: Int) async throws
    /// The upload with an id, if it belongs to a project.
    func upload(_ id: String, of project: String) async throws -> UploadRecord?
    /// Records that bytes arrived, and the description of the file when it is whole; false if the upload has ended.
    func noteProgress(
        of id: String,
        in project: String,
        byteCount: Int,
        summary: FileSummary?,
        at time: Timestamp
    ) async throws -> Bool
    /// The recorded bytes of all uploads of a project.
    func unfinishedBytes(of project: String) async throws -> Int
    /// Ends an upload without an object; has no effect if it has ended.
    func deleteUpload(_ id: String, of project: String) async throws
    /// Ends the uploads without bytes since a moment.
    func deleteUploads(inactiveSince moment: Timestamp) async throws
    /// The ids of all uploads.
    func uploadIDs() async throws -> Set<String>
}
