/// An upload in several requests that has not ended.
public struct UploadRecord: Sendable, Hashable {
    /// The id, which cannot be guessed.
    public var id: String
    /// The project's id.
    public var project: String
    /// The bucket of the object.
    public var bucket: String
    /// The name of the object.
    public var name: String
    /// The media type according to the uploader.
    public var contentType: String
    /// The number of bytes that arrived, as far as it is recorded; it counts toward the project's quota.
    public var byteCount: Int
    /// The time of its beginning, or of the last bytes.
    public var time: Timestamp
    /// The description of the whole file, when all bytes have arrived.
    public var summary: FileSummary?

    /// Creates the record of an upload.
    public init(
        id: String,
        project: String,
        bucket: String,
        name: String,
        contentType: String,
        byteCount: Int = 0,
        time: Timestamp,
        summary: FileSummary? = nil
    ) {
        self.id = id
        self.project = project
        self.bucket = bucket
        self.name = name
        self.contentType = contentType
        self.byteCount = byteCount
        self.time = time
        self.summary = summary
    }
}
