/// An uploaded file.
package struct StorageObject: Sendable, Hashable {
    /// The project that uploaded the file.
    package var project: String
    /// The bucket; projects may use the same names of buckets.
    package var bucket: String
    /// The name, which may contain slashes.
    package var name: String
    /// The hash of its contents.
    package var hash: BlobHash
    /// The size in bytes.
    package var byteCount: Int
    /// The CRC-32C in the format of the storage API.
    package var crc32c: String
    /// The MD5 in the format of the storage API.
    package var md5: String
    /// The media type according to the uploader.
    package var contentType: String
    /// The time of the upload.
    package var createTime: Timestamp

    /// The address.
    package var uri: String { "gs://\(bucket)/\(name)" }
}
