import DurableFiles
import Foundation

/// Reads and writes the bytes of picture files.
package enum ImageFile {
    /// Reads a regular file of at most `limits.maximumBytes`.
    ///
    /// The file is copied and not mapped. If another process shortens a mapped file, as cameras do that overwrite their snapshot,
    /// the reading process ends; and mapping saves next to nothing.
    ///
    /// The open file's size decides how much memory is allocated, and no more bytes than that are read.
    static func read(_ url: URL, limits: ImageLimits) throws(ImageError) -> Data {
        guard url.isFileURL else { throw .unreadable(path: url.absoluteString, reason: "it is not a file URL") }
        let path = url.path(percentEncoded: false)
        return try read(path, name: path, limits: limits)
    }

    /// Reads a regular file.
    ///
    /// - Parameters:
    ///   - place: The path as the system takes it.
    ///   - path: The path for messages.
    static func read(_ place: UnsafePointer<CChar>, name path: String, limits: ImageLimits) throws(ImageError) -> Data {
        // Opening a pipe without a writer must not wait.
        let file = open(place, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard file >= 0 else { throw .unreadable(path: path, reason: reason(errno)) }
        defer { close(file) }
        var status = stat()
        guard fstat(file, &status) == 0 else { throw .unreadable(path: path, reason: reason(errno)) }
        switch status.st_mode & S_IFMT {
        case S_IFREG: break
        case S_IFDIR: throw .unreadable(path: path, reason: "it is a folder; name a picture in it")
        default: throw .unreadable(path: path, reason: "it is not a regular file; read its bytes and pass those")
        }
        let size = Int(status.st_size)
        try limits.check(bytes: size)
        guard size > 0 else { throw .empty }
        guard let memory = malloc(size) else { throw .outOfMemory(bytes: size) }
        var count = 0
        while count < size {
            let result = Foundation.read(file, memory + count, size - count)
            if result == 0 { break }
            if result > 0 { count += result }
            if result < 0, errno != EINTR {
                let code = errno
                free(memory)
                throw .unreadable(path: path, reason: reason(code))
            }
        }
        return Data(bytesNoCopy: memory, count: count, deallocator: .free)
    }

    private static func reason(_ code: Int32) -> String {
        switch code {
        case ENOENT, ENOTDIR: "there is no such file"
        case EACCES, EPERM: "permission is denied"
        default: String(cString: strerror(code))
        }
    }

    /// Writes the bytes of a file: first beside the target, then under its name in one step.
    ///
    /// - Throws: `ImageError.unwritable` or `.diskFull`. An older file of that name is then unchanged.
    package static func write(_ data: Data, to url: URL) throws(ImageError) {
        do throws(DurableFileError) {
            try DurableFile.write(data, to: url, permissions: 0o666, isSynchronized: false)
        } catch {
            let path = url.path(percentEncoded: false)
            if error.isForSpace { throw .diskFull(path: path) }
            throw .unwritable(path: path, reason: reason(for: url, error))
        }
    }

    /// The reason for which a path cannot be written, in plain words where the cause is visible.
    private static func reason(for url: URL, _ error: DurableFileError) -> String {
        let folder = url.deletingLastPathComponent().path(percentEncoded: false)
        var isFolder: ObjCBool = false
        if FileManager.default.fileExists(atPath: url.path(percentEncoded: false), isDirectory: &isFolder),
            isFolder.boolValue
        {
            return "it is a folder"
        }
        guard FileManager.default.fileExists(atPath: folder, isDirectory: &isFolder) else {
            return "the folder is missing"
        }
        guard isFolder.boolValue else { return "\(folder) is not a folder" }
        guard FileManager.default.isWritableFile(atPath: folder) else { return "the folder is not writable" }
        return error.reason
    }
}
