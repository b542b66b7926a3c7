import Crypto
import Foundation
import NIOCore

/// The file operations of the store: each takes effect completely or not at all, and data is on disk before anything
/// refers to it.
///
/// The raw bytes are used safely: every read and write uses a buffer's own start and count, and no buffer outlives its
/// call.
enum StoreFile {
    /// Writes all bytes at a descriptor's position.
    static func write(_ bytes: UnsafeRawBufferPointer, to descriptor: Int32, path: String) throws(DownloadError) {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = Foundation.write(descriptor, UnsafeRawBufferPointer(rebasing: rest).baseAddress, rest.count)
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { throw .system(errno, path: path) }
            rest = rest.dropFirst(count)
        }
    }

    /// Reads a descriptor from its position to its end.
    static func read(
        _ descriptor: Int32,
        path: String,
        _ body: (UnsafeRawBufferPointer) -> Void
    ) throws(DownloadError) {
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 18, alignment: 16)
        defer { buffer.deallocate() }
        while true {
            let count = Foundation.read(descriptor, buffer.baseAddress, buffer.count)
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { throw .system(errno, path: path) }
            if count == 0 { return }
            body(UnsafeRawBufferPointer(rebasing: buffer[..<count]))
        }
    }

    /// The size of a regular file; nil if there is no such file.
    static func size(_ url: URL) -> Int? {
        var status = stat()
        guard lstat(url.path, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return nil }
        return Int(status.st_size)
    }

    /// The SHA-256 of a file in hexadecimal digits.
    static func sha256(of url: URL) throws(DownloadError) -> String {
        let descriptor = open(url.path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw .system(errno, path: url.path) }
        defer { close(descriptor) }
        var hash = SHA256()
        try read(descriptor, path: url.path) { hash.update(bufferPointer: $0) }
        return hexadecimal(hash.finalize())
    }

    static func hexadecimal(_ bytes: some Sequence<UInt8>) -> String {
        var digits: [UInt8] = []
        for byte in bytes {
            for nibble in [byte >> 4, byte & 15] { digits.append(nibble < 10 ? 48 + nibble : 87 + nibble) }
        }
        return String(decoding: digits, as: UTF8.self)
    }

    /// Replaces a small file as a whole: after a crash the file is the old one or the new one.
    static func replace(_ url: URL, with data: Data) throws(DownloadError) {
        let path = url.deletingLastPathComponent().appending(path: ".\(UUID().uuidString).new").path
        let descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o644)
        guard descriptor >= 0 else { throw .system(errno, path: path) }
        defer { close(descriptor) }
        do throws(DownloadError) {
            let written: Result<Void, DownloadError> = data.withUnsafeBytes { bytes in
                Result { () throws(DownloadError) in try write(bytes, to: descriptor, path: path) }
            }
            try written.get()
            guard fsync(descriptor) == 0 else { throw .system(errno, path: path) }
            try rename(path, to: url)
        } catch {
            unlink(path)
            throw error
        }
    }

    /// Moves a file into place and writes its folder to disk.
    static func rename(_ path: String, to url: URL) throws(DownloadError) {
        guard Foundation.rename(path, url.path) == 0 else { throw .system(errno, path: url.path) }
        try synchronizeFolder(url.deletingLastPathComponent())
    }

    /// Writes the list of a folder's files to disk.
    static func synchronizeFolder(_ url: URL) throws(DownloadError) {
        let descriptor = open(url.path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else { throw .system(errno, path: url.path) }
        defer { close(descriptor) }
        guard fsync(descriptor) == 0 else { throw .system(errno, path: url.path) }
    }

    /// Runs a closure while no other process, and no other code in this process, holds the lock of a folder.
    static func withLock<Result>(
        of folder: URL,
        _ body: () throws(DownloadError) -> Result
    ) throws(DownloadError) -> Result {
        let path = folder.appending(path: "lock").path
        let descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o644)
        guard descriptor >= 0 else { throw .system(errno, path: path) }
        defer { close(descriptor) }
        while flock(descriptor, LOCK_EX) != 0 {
            guard errno == EINTR else { throw .system(errno, path: path) }
        }
        return try body()
    }

    /// Creates a folder and its parents.
    static func makeFolder(_ url: URL) throws(DownloadError) {
        var status = stat()
        if stat(url.path, &status) == 0 {
            guard status.st_mode & S_IFMT == S_IFDIR else { throw .system(ENOTDIR, path: url.path) }
            return
        }
        let parent = url.deletingLastPathComponent()
        if parent.path != url.path { try makeFolder(parent) }
        guard mkdir(url.path, 0o755) == 0 || errno == EEXIST else { throw .system(errno, path: url.path) }
        // A parent folder may be unreadable; then the system writes it to disk later.
        try? synchronizeFolder(parent)
    }
}
