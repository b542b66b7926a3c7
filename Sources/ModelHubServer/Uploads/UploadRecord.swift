/// An upload in several requests that has not ended.
package struct UploadRecord: Sendable, Hashable {
    /// The id, which cannot be guessed.
    package var id: String
    /// The project's id.
    package var project: String
    /// The bucket of the object.
    package var bucket: String
    /// The name of the object.
    package var name: String
    /// The media type according to the uploader.
    package var contentType: String
    /// The number of bytes that arrived, as far as it is recorded; it counts toward the project's quota.
    package var byteCount = 0
    /// The time of its beginning, or of the last bytes.
    package var time: Timestamp
    /// The description of the whole file, when all bytes have arrived.
    package var summary: FileSummary?
}
