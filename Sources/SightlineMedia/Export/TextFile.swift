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

    func write(_ text: String) throws(MediaError) {
        do {
            try handle.withLock { try $0.write(contentsOf: Data(text.utf8)) }
        } catch {
            throw MediaError(writing: path, error)
        }
    }
}
