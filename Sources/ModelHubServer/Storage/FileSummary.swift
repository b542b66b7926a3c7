/// The size of a file and what its bytes add up to.
public struct FileSummary: Sendable, Hashable {
    /// The SHA-256.
    public var hash: BlobHash
    /// The size in bytes.
    public var byteCount: Int
    /// The CRC-32C in the format of the storage API.
    public var crc32c: String
    /// The MD5 in the format of the storage API: base64.
    public var md5: String

    /// Creates the description of a file.
    public init(hash: BlobHash, byteCount: Int, crc32c: String, md5: String) {
        self.hash = hash
        self.byteCount = byteCount
        self.crc32c = crc32c
        self.md5 = md5
    }
}
