/// The size of a file and what its bytes add up to.
package struct FileSummary: Sendable, Hashable {
    /// The SHA-256.
    package var hash: BlobHash
    /// The size in bytes.
    package var byteCount: Int
    /// The CRC-32C in the format of the storage API.
    package var crc32c: String
    /// The MD5 in the format of the storage API: base64.
    package var md5: String
}
