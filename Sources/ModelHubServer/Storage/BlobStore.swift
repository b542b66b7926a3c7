import Foundation

/// A store for the bytes of models, with each file under its SHA-256.
///
/// A stored file never changes; storing the same contents again has no effect. The store may be on another machine, so
/// every method is asynchronous, and a local file is only an option of an open file. ``HubRecords`` know which files
/// are stored and needed.
package protocol BlobStore: Sendable {
    /// Takes over a received file on this machine, which no longer exists when this method returns. The contents then
    /// survive a power failure.
    func store(fileAt url: URL, as hash: BlobHash) async throws

    /// Opens a file.
    ///
    /// - Throws: `.dataLoss` if it does not exist.
    func open(_ hash: BlobHash) async throws -> StoredFile

    /// Removes a file; does nothing if it does not exist.
    func remove(_ hash: BlobHash) async throws

    /// All files.
    func contents() async throws -> [StoredBlob]

    /// Whether the store itself, and not only a copy on this machine, has a file.
    func contains(_ hash: BlobHash) async throws -> Bool

    /// Checks that the store can be reached.
    ///
    /// - Throws: `.unavailable`.
    func check() async throws
}

/// A file in a ``BlobStore``.
package struct StoredBlob: Sendable, Hashable {
    /// The SHA-256 according to the store's index.
    package var hash: BlobHash
    /// The size in bytes.
    package var byteCount: Int
}

extension BlobStore {
    /// Whether the store has a file: it can be opened.
    package func contains(_ hash: BlobHash) async throws -> Bool {
        do {
            _ = try await open(hash)
            return true
        } catch let error as HubError where error.code == .dataLoss {
            return false
        }
    }

    /// Does nothing: a store on this machine can always be reached.
    package func check() async throws {}
}
