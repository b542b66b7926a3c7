import Crypto
import Foundation

/// The hash and size of a file on the disk.
///
/// The raw bytes are sound: the system fills at most the buffer, and what it filled is read while the buffer lives.
public struct FileHash: Sendable, Hashable {
    /// The SHA-256.
    public var hash: BlobHash
    /// The size.
    public var byteCount: Int

    /// The size of a file; nil if it cannot be told.
    static func size(_ url: URL) -> Int? {
        var status = stat()
        return lstat(url.path, &status) == 0 ? Int(status.st_size) : nil
    }

    /// Reads a file in pieces.
    public static func read(_ path: String) throws(HubError) -> FileHash {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw SystemCalls.failure("read a file", errno) }
        defer { close(descriptor) }
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 18, alignment: 16)
        defer { buffer.deallocate() }
        var digest = SHA256()
        var total = 0
        while true {
            let count = Foundation.read(descriptor, buffer.baseAddress, buffer.count)
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { throw SystemCalls.failure("read a file", errno) }
            if count == 0 { return FileHash(hash: BlobHash(digest.finalize()), byteCount: total) }
            digest.update(bufferPointer: UnsafeRawBufferPointer(rebasing: buffer[..<count]))
            total += count
        }
    }
}
