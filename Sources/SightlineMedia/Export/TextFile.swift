import DurableFiles
import Foundation
import SightlineLocks

/// A file that grows by pieces of text. Each piece reaches the file at once.
///
/// A regular file has one writer at a time, in this process and all others: another one would overwrite its text.
final class TextFile: Sendable {
    private let handle: Mutex<FileHandle>
    private let path: String
    /// Whether this is a file with a length, and not a pipe or a device.
    let isRegular: Bool

    /// Creates a file, or keeps the first bytes of an existing file.
    ///
    /// - Parameter byteCount: the number of bytes that stay.
    /// - Throws: `MediaError.unwritable`, `.diskFull`, or `.inUse`; then the file is unchanged.
    init(_ url: URL, after byteCount: Int = 0) throws(MediaError) {
        path = url.path(percentEncoded: false)
        let descriptor = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0o666)
        guard descriptor >= 0 else { throw MediaError(writing: path, DurableFileError(path: path, code: errno)) }
        var status = stat()
        isRegular = fstat(descriptor, &status) == 0 && status.st_mode & S_IFMT == S_IFREG
        guard !isRegular || FileLock.tryTaking(descriptor) else {
            close(descriptor)
            throw .inUse(path: path)
        }
        handle = Mutex(FileHandle(fileDescriptor: descriptor))
        guard isRegular || byteCount > 0 else { return }
        guard ftruncate(descriptor, off_t(byteCount)) == 0, lseek(descriptor, 0, SEEK_END) >= 0 else {
            throw MediaError(writing: path, DurableFileError(path: path, code: errno))
        }
    }

    deinit { handle.withLock { FileLock.release($0.fileDescriptor) } }

    /// Opens a file to write behind its whole lines, or creates it.
    ///
    /// - Throws: `MediaError.unwritable`, `.diskFull` or `.inUse`.
    convenience init(continuing url: URL) throws(MediaError) {
        let url = url.resolvingSymlinksInPath()
        let path = url.path(percentEncoded: false)
        var status = stat()
        var size: off_t = 0
        guard stat(path, &status) != 0 || status.st_mode & S_IFMT == S_IFREG else {
            try self.init(url)
            return
        }
        do throws(DurableFileError) {
            let file = try FileDescriptor(path, O_RDWR | O_CREAT, permissions: 0o666)
            // The last line of another writer is not torn, but about to be whole.
            guard FileLock.tryTaking(file.number) else { throw DurableFileError(path: path, code: EWOULDBLOCK) }
            size = try DurableFile.wholeLines(in: file)
        } catch {
            throw error.code == EWOULDBLOCK ? .inUse(path: path) : MediaError(writing: path, error)
        }
        try self.init(url, after: Int(size))
    }

    /// The length of the text in bytes; 0 for a pipe.
    var byteCount: Int { handle.withLock { max(Int(lseek($0.fileDescriptor, 0, SEEK_CUR)), 0) } }

    /// Writes a text.
    ///
    /// - Throws: `MediaError.unwritable` or `.diskFull`; then a file has none of the text.
    func write(_ text: String) throws(MediaError) {
        do {
            try handle.withLock { file in
                let end = lseek(file.fileDescriptor, 0, SEEK_CUR)
                do {
                    try file.write(contentsOf: Data(text.utf8))
                } catch {
                    // Nothing to cut off where the text goes to a pipe.
                    if end >= 0, ftruncate(file.fileDescriptor, end) == 0 { lseek(file.fileDescriptor, end, SEEK_SET) }
                    throw error
                }
            }
        } catch {
            throw MediaError(writing: path, error)
        }
    }
}
