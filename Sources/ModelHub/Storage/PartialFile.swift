import Crypto
import Foundation
import NIOCore

/// A file that is being downloaded, and that a later attempt can resume.
///
/// The file is locked while it is open. If another process or an earlier download of this process holds the lock, the
/// download uses a file of its own and does not wait.
final class PartialFile {
    let hash: String
    let path: String
    private(set) var byteCount = 0
    private let descriptor: Int32
    private var digest = SHA256()

    /// Whether this resumes an earlier partial file, which may belong to another version.
    private(set) var isResumed = false

    /// Opens the file for a hash with its existing contents.
    init(of hash: String, in folder: URL) throws(DownloadError) {
        self.hash = hash
        let shared = folder.appending(path: "\(hash).part").path
        if let descriptor = try Self.openLocked(shared) {
            (self.descriptor, path) = (descriptor, shared)
        } else {
            path = folder.appending(path: "\(hash).\(UUID().uuidString).part").path
            guard let descriptor = try Self.openLocked(path) else { throw .system(EAGAIN, path: path) }
            self.descriptor = descriptor
        }
        var content = SHA256()
        var count = 0
        try StoreFile.read(descriptor, path: path) { piece in
            content.update(bufferPointer: piece)
            count += piece.count
        }
        (digest, byteCount, isResumed) = (content, count, count > 0)
    }

    deinit { close(descriptor) }

    /// Opens and locks the file; nil if another process holds the lock.
    static func openLocked(_ path: String) throws(DownloadError) -> Int32? {
        while true {
            // Never follows a symbolic link.
            let descriptor = open(path, O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC | O_NOFOLLOW, 0o644)
            guard descriptor >= 0 else { throw .system(errno, path: path) }
            guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
                let code = errno
                close(descriptor)
                if code == EWOULDBLOCK { return nil }
                throw .system(code, path: path)
            }
            // Between opening and locking, the owner may have installed or removed the file.
            var (opened, named) = (stat(), stat())
            if fstat(descriptor, &opened) == 0, lstat(path, &named) == 0, opened.st_ino == named.st_ino,
                opened.st_dev == named.st_dev
            {
                return descriptor
            }
            close(descriptor)
        }
    }

    /// Appends bytes.
    func append(_ buffer: ByteBuffer) throws(DownloadError) {
        let result: Result<Void, DownloadError> = buffer.withUnsafeReadableBytes { bytes in
            Result { () throws(DownloadError) in
                try StoreFile.write(bytes, to: descriptor, path: path)
                digest.update(bufferPointer: bytes)
            }
        }
        try result.get()
        byteCount += buffer.readableBytes
    }

    /// Removes all bytes.
    func clear() throws(DownloadError) {
        guard ftruncate(descriptor, 0) == 0 else { throw .system(errno, path: path) }
        (digest, byteCount, isResumed) = (SHA256(), 0, false)
    }

    /// Removes the file.
    func discard() { unlink(path) }

    /// The SHA-256 of the contents.
    var sha256: String { StoreFile.hexadecimal(digest.finalize()) }

    /// Writes the contents to disk.
    func synchronize() throws(DownloadError) {
        guard fsync(descriptor) == 0 else { throw .system(errno, path: path) }
    }
}
