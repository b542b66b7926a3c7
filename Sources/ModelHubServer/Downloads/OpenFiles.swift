import Foundation
import Synchronization

/// Files of current downloads, kept open for a minute, so that most downloads need not wait for the disk.
///
/// The file of a hash never changes, and each reader passes its own position.
final class OpenFiles: Sendable {
    private let files = Mutex<[BlobHash: ReadFile]>([:])

    /// The maximum number of open files. A removed file occupies the disk while it is open.
    private static let limit = 64
    private static let lifetime = Duration.seconds(60)

    /// The open file for a hash, if any.
    subscript(_ hash: BlobHash) -> ReadFile? { files.withLock { $0[hash] } }

    /// Opens the file for a hash. Waits for the disk.
    func open(_ hash: BlobHash, in blobs: any BlobStore) throws -> ReadFile {
        let file = try ReadFile(try blobs.file(for: hash))
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
