import Foundation
import Synchronization

/// A file that grows by pieces of text. Each piece reaches the file at once.
final class TextFile: Sendable {
    private let handle: Mutex<FileHandle>
    private let path: String

    /// Creates a file. An existing file is replaced.
    ///
    /// - Throws: `MediaError.unwritable`.
    init(_ url: URL) throws(MediaError) {
        path = url.path(percentEncoded: false)
        let descriptor = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o666)
        guard descriptor >= 0 else { throw .unwritable(path: path, reason: String(cString: strerror(errno))) }
        handle = Mutex(FileHandle(fileDescriptor: descriptor, closeOnDealloc: true))
    }

    func write(_ text: String) throws(MediaError) {
        do {
            try handle.withLock { try $0.write(contentsOf: Data(text.utf8)) }
        } catch {
            throw .unwritable(path: path, reason: error.localizedDescription)
        }
    }
}
