import Foundation

/// Where the bytes of models lie, each file under its SHA-256.
///
/// A file never changes once it is stored; storing the same content again is allowed and changes nothing.
public protocol BlobStore: Sendable {
    /// Takes over a file that was received. When this returns it will survive a power failure.
    func store(fileAt url: URL, as hash: BlobHash) throws(HubError)

    /// Whether the content is there, as a regular file. A link to one is not taken for it.
    func contains(_ hash: BlobHash) -> Bool

    /// A local file with the content.
    ///
    /// - Throws: `.dataLoss` if it is not there.
    func file(for hash: BlobHash) throws(HubError) -> URL

    /// Removes a content; nothing happens if it is not there.
    func remove(_ hash: BlobHash) throws(HubError)

    /// All contents, with their sizes and the moments at which they were last stored.
    func contents() throws(HubError) -> [StoredBlob]
}

/// A content of a ``BlobStore``.
public struct StoredBlob: Sendable, Hashable {
    /// Its SHA-256 as the store's index says it.
    public var hash: BlobHash
    /// Its size.
    public var byteCount: Int
    /// When it was stored, or stored again.
    public var storeTime: Timestamp
}
