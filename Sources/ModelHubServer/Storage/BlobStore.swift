import Foundation

/// A store for the bytes of models, with each file under its SHA-256.
///
/// A stored file never changes; storing the same contents again has no effect.
public protocol BlobStore: Sendable {
    /// Takes over a received file. When this method returns, the file survives a power failure.
    func store(fileAt url: URL, as hash: BlobHash) throws(HubError)

    /// Whether the store has the contents as a regular file. A link does not count.
    func contains(_ hash: BlobHash) -> Bool

    /// A local file with the contents.
    ///
    /// - Throws: `.dataLoss` if it does not exist.
    func file(for hash: BlobHash) throws(HubError) -> URL

    /// Removes a file; does nothing if it does not exist.
    func remove(_ hash: BlobHash) throws(HubError)

    /// All files, with their sizes and the times at which they were last stored.
    func contents() throws(HubError) -> [StoredBlob]
}

/// A file in a ``BlobStore``.
public struct StoredBlob: Sendable, Hashable {
    /// The SHA-256 according to the store's index.
    public var hash: BlobHash
    /// The size in bytes.
    public var byteCount: Int
    /// The time at which it was last stored.
    public var storeTime: Timestamp
}
