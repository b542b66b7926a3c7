import DurableFiles
import Foundation
import SightlineLocks

/// A file that grows by pieces of text. Each piece reaches the file at once.
final class TextFile: Sendable {
    private let handle: Mutex<FileHandle>
    private let path: String

    /// Creates a file, or keeps the first bytes of an existing file.
    ///
    /// - Parameter byteCount: the number of bytes that stay.
    /// - Throws: `MediaError.unwritable` or `.diskFull`.
    init(_ url: URL, after byteCount: Int = 0) throws(MediaError) {
        path = url.path(percentEncoded: false)
        let descriptor = open(path, O_WRONLY | O_CREAT | O_CLOEXEC | (byteCount == 0 ? O_TRUNC : 0), 0o666)
        guard descriptor >= 0 else { throw MediaError(writing: path, DurableFileError(path: path, code: errno)) }
        handle = Mutex(FileHandle(fileDescriptor: descriptor, closeOnDealloc: true))
        guard byteCount > 0 else { return }
        guard ftruncate(descriptor, off_t(byteCount)) == 0, lseek(descriptor, 0, SEEK_END) >= 0 else {
            throw MediaError(writing: path, DurableFileError(path: path, code: errno))
        }
    }

    /// Opens a file to write behind its whole lines, or creates it.
    ///
    /// - Throws: `MediaError.unwritable` or `.diskFull`.
    convenience init(continuing url: URL) throws(MediaError) {
        let path = url.path(percentEncoded: false)
        var size: off_t = 0
        do throws(DurableFileError) {
            let file = try FileDescriptor(path, O_RDWR | O_CREAT, permissions: 0o666)
            size = try DurableFile.wholeLines(in: file)
        } catch {
            throw MediaError(writing: path, error)
        }
        try self.init(url, after: Int(size))
    }

    /// Whether the file has text.
    var isEmpty: Bool { handle.withLock { lseek($0.fileDescriptor, 0, SEEK_CUR) == 0 } }

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
