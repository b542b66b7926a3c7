import Foundation
import Synchronization

/// Files of current downloads, kept open for a minute, so that most downloads need not wait for the store.
///
/// The file of a hash never changes, and each reader passes its own position.
final class OpenFiles: Sendable {
    private let files = Mutex<[BlobHash: StoredFile]>([:])

    /// The maximum number of open files. A removed file occupies the disk while it is open.
    private static let limit = 64
    private static let lifetime = Duration.seconds(60)

    /// The open file for a hash.
    func open(_ hash: BlobHash, in blobs: any BlobStore) async throws -> StoredFile {
        if let file = files.withLock({ $0[hash] }) { return file }
        let file = try await blobs.open(hash)
        let isKept = files.withLock { files in
            guard files.count < Self.limit, files[hash] == nil else { return false }
            files[hash] = file
            return true
        }
        if isKept {
            Task { [weak self] in
                try? await Task.sleep(for: Self.lifetime)
                self?.close(hash)
            }
        }
        return file
    }

    private func close(_ hash: BlobHash) { files.withLock { _ = $0.removeValue(forKey: hash) } }
}
