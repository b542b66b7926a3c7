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

    /// Creates the description of an uploaded file.
    public init(
        project: String,
        bucket: String,
        name: String,
        hash: BlobHash,
        byteCount: Int,
        crc32c: String,
        md5: String,
        contentType: String,
        createTime: Timestamp
    ) {
        self.project = project
        self.bucket = bucket
        self.name = name
        self.hash = hash
        self.byteCount = byteCount
        self.crc32c = crc32c
        self.md5 = md5
        self.contentType = contentType
        self.createTime = createTime
    }

    /// The address.
    public var uri: String { "gs://\(bucket)/\(name)" }
}
