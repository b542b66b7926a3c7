import Foundation

/// A file that is being received, and that a later attempt can resume.
///
/// The file is locked while it is open, so that only one download writes it. Its bytes are hashed as they arrive; the
/// bytes of an earlier attempt are hashed when the file is opened.
package final class PartialFile {
    /// The path of the file.
    package let path: String
    /// The number of bytes so far.
    package private(set) var byteCount = 0
    /// Whether the file continues an earlier attempt, whose bytes may be damaged or belong to another version.
    package private(set) var isResumed = false

    private let number: Int32
    private var hash = SHA256()

    private init(path: String, number: Int32) {
        (self.path, self.number) = (path, number)
    }

    deinit { FileLock.release(number) }

    /// Opens a file with its existing bytes, and creates it if necessary; nil if another download has it open.
    package static func opened(_ path: String) throws(DurableFileError) -> PartialFile? {
        guard let number = try locked(path) else { return nil }
        let file = PartialFile(path: path, number: number)
        try file.readExisting()
        return file
    }

    /// Removes a file unless a download has it open.
    package static func removeUnlessOpen(_ path: String) {
        guard let number = try? locked(path) else { return }
        unlink(path)
        FileLock.release(number)
    }

    /// Opens and locks a file; nil if another download has it.
    static func locked(_ path: String) throws(DurableFileError) -> Int32? {
        while true {
            // Never follows a symbolic link.
            let number = open(path, O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC | O_NOFOLLOW, 0o644)
            guard number >= 0 else { throw DurableFileError(path: path, code: errno) }
            guard flock(number, LOCK_EX | LOCK_NB) == 0 else {
                let code = errno
                close(number)
                if code == EWOULDBLOCK { return nil }
                throw DurableFileError(path: path, code: code)
            }
            // Between opening and locking, the owner may have moved or removed the file.
            var (opened, named) = (stat(), stat())
            if fstat(number, &opened) == 0, lstat(path, &named) == 0, opened.st_ino == named.st_ino,
                opened.st_dev == named.st_dev
            {
                return number
            }
            FileLock.release(number)
        }
    }

    private func readExisting() throws(DurableFileError) {
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: FileDescriptor.pieceSize, alignment: 16)
        defer { buffer.deallocate() }
        while true {
            let count = try FileDescriptor.read(number, into: buffer, path: path)
            if count == 0 { break }
            hash.update(UnsafeRawBufferPointer(rebasing: buffer[..<count]))
            byteCount += count
        }
        isResumed = byteCount > 0
    }

    /// Appends bytes.
    package func append(_ bytes: UnsafeRawBufferPointer) throws(DurableFileError) {
        try FileDescriptor.write(bytes, to: number, path: path)
        hash.update(bytes)
        byteCount += bytes.count
    }

    /// Removes all bytes.
    package func clear() throws(DurableFileError) {
        guard ftruncate(number, 0) == 0 else { throw DurableFileError(path: path, code: errno) }
        (hash, byteCount, isResumed) = (SHA256(), 0, false)
    }

    /// Removes the file. Later bytes go nowhere.
    package func discard() { unlink(path) }

    /// The SHA-256 of all bytes so far, as 64 lowercase hexadecimal digits.
    package var sha256: String { hash.hexadecimalDigest }

    /// Writes the bytes to disk, and moves the file to its place; a file there is replaced.
    package func install(at url: URL) throws(DurableFileError) {
        try synchronize()
        try DurableFile.move(path, to: url)
    }

    /// Writes the bytes to disk.
    package func synchronize() throws(DurableFileError) {
        guard fsync(number) == 0 else { throw DurableFileError(path: path, code: errno) }
    }
}
