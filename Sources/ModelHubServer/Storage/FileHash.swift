import Crypto
import Foundation
import NIOCore

/// The hash and size of a file on disk.
///
/// The raw bytes are used safely: the system fills at most the buffer, and the buffer lives while its bytes are read.
package struct FileHash: Sendable, Hashable {
    /// The SHA-256.
    package var hash: BlobHash
    /// The size.
    package var byteCount: Int

    /// The size of a file; nil if it cannot be determined.
    static func size(_ url: URL) -> Int? {
        var status = stat()
        return lstat(url.path, &status) == 0 ? Int(status.st_size) : nil
    }

    /// Reads a file on this machine. Links are not followed, and only regular files are read.
    package static func read(_ path: String) throws(HubError) -> FileHash {
        let descriptor = try SystemCalls.openRegularFile(path)
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

    /// Copies a stored file into a new file that only its owner can read, and writes it to disk.
    ///
    /// - Returns: The hash and size of the copied bytes.
    static func copy(_ file: StoredFile, to target: URL) async throws -> FileHash {
        unlink(target.path)
        let descriptor = open(target.path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else { throw SystemCalls.failure("store the file", errno) }
        defer { close(descriptor) }
        let copied = try await read(file) { piece in try SystemCalls.write(piece, to: descriptor) }
        // Independent of the umask.
        guard fchmod(descriptor, 0o600) == 0, fsync(descriptor) == 0 else {
            throw SystemCalls.failure("store the file", errno)
        }
        return copied
    }

    /// Reads a stored file in pieces, and passes each to `body`.
    static func read(
        _ file: StoredFile,
        _ body: (UnsafeRawBufferPointer) throws -> Void = { _ in }
    ) async throws -> FileHash {
        var digest = SHA256()
        var total = 0
        for try await piece in file.bytes {
            try piece.withUnsafeReadableBytes { bytes in
                digest.update(bufferPointer: bytes)
                try body(bytes)
            }
            total += piece.readableBytes
        }
        return FileHash(hash: BlobHash(digest.finalize()), byteCount: total)
    }
}
