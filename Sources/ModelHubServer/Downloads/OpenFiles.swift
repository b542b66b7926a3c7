import Foundation
import Synchronization

/// Files that are being downloaded, kept open for a minute, so that most downloads need not wait for the disk.
///
/// What lies under a hash never changes, and each reader says where it reads.
final class OpenFiles: Sendable {
    private let files = Mutex<[BlobHash: ReadFile]>([:])

    /// How many files are kept open, and for how long. A removed file takes room on the disk until then.
    private static let limit = 64
    private static let lifetime = Duration.seconds(60)

    /// The file of a hash, if it is open.
    subscript(_ hash: BlobHash) -> ReadFile? { files.withLock { $0[hash] } }

    /// Opens the file of a hash. Waits for the disk.
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
