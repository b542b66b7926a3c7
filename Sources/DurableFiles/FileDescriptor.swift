import Foundation

/// An open file, closed at the end of its lifetime.
///
/// The raw bytes are used safely: every read and write uses a buffer's own start and count, and no buffer outlives its
/// call.
package struct FileDescriptor: ~Copyable {
    /// The path under which the file was opened.
    package let path: String
    /// The system's number for the file.
    package let number: Int32

    /// Opens a file. Symbolic links are never followed to a file that is written.
    ///
    /// - Parameters:
    ///   - flags: The flags of open(2). The descriptor is never inherited by other programs.
    ///   - permissions: The permissions of a new file, before the process's umask applies.
    package init(_ path: String, _ flags: Int32, permissions: mode_t = 0o644) throws(DurableFileError) {
        let isRead = flags & O_ACCMODE == O_RDONLY
        let number = open(path, flags | O_CLOEXEC | (isRead ? 0 : O_NOFOLLOW), permissions)
        guard number >= 0 else {
            throw DurableFileError(path: path, code: errno, operation: isRead ? .read : .write)
        }
        (self.path, self.number) = (path, number)
    }

    /// Closes the file, and gives up a lock that was taken of it.
    deinit { FileLock.release(number) }

    /// Writes all bytes at the file's position.
    package func write(_ bytes: UnsafeRawBufferPointer) throws(DurableFileError) {
        try Self.write(bytes, to: number, path: path)
    }

    /// Writes all bytes at the file's position.
    package func write(_ data: Data) throws(DurableFileError) {
        let result: Result<Void, DurableFileError> = data.withUnsafeBytes { bytes in
            Result { () throws(DurableFileError) in try Self.write(bytes, to: number, path: path) }
        }
        try result.get()
    }

    /// Reads the file from its position to its end, in pieces.
    package func read(_ body: (UnsafeRawBufferPointer) -> Void) throws(DurableFileError) {
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: Self.pieceSize, alignment: 16)
        defer { buffer.deallocate() }
        while true {
            let count = try Self.read(number, into: buffer, path: path)
            if count == 0 { return }
            body(UnsafeRawBufferPointer(rebasing: buffer[..<count]))
        }
    }

    /// Writes the contents to disk.
    package func synchronize() throws(DurableFileError) {
        guard fsync(number) == 0 else { throw DurableFileError(path: path, code: errno) }
    }

    // MARK: - Descriptors that others own

    /// A good size for the pieces of a large file, in bytes.
    package static let pieceSize = 1 << 18

    /// Writes all bytes at the position of an open file.
    package static func write(
        _ bytes: UnsafeRawBufferPointer,
        to number: Int32,
        path: String
    ) throws(DurableFileError) {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = Foundation.write(number, UnsafeRawBufferPointer(rebasing: rest).baseAddress, rest.count)
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { throw DurableFileError(path: path, code: count < 0 ? errno : EIO) }
            rest = rest.dropFirst(count)
        }
    }

    /// Reads bytes at the position of an open file, and returns their number; 0 at the end of the file.
    package static func read(
        _ number: Int32,
        into buffer: UnsafeMutableRawBufferPointer,
        path: String
    ) throws(DurableFileError) -> Int {
        while true {
            let count = Foundation.read(number, buffer.baseAddress, buffer.count)
            if count >= 0 { return count }
            guard errno == EINTR else { throw DurableFileError(path: path, code: errno, operation: .read) }
        }
    }
}
