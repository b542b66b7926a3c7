import Foundation

extension VisionImage {
    /// Reads a regular file of at most `limits.maximumBytes`.
    ///
    /// It is copied rather than mapped: a mapped file that another process shortens, as cameras do that overwrite their
    /// snapshot, ends the reading process, and mapping saves next to nothing.
    ///
    /// The memory is taken for the size that the open file states, and no more than that is read into it.
    static func read(_ url: URL, limits: ImageLimits) throws(ImageError) -> Data {
        guard url.isFileURL else { throw .unreadable(path: url.absoluteString, reason: "it is not a file URL") }
        let path = url.path(percentEncoded: false)
        return try read(path, name: path, limits: limits)
    }

    /// Reads a regular file.
    ///
    /// - Parameters:
    ///   - place: the path as the system takes it.
    ///   - path: the path for messages.
    static func read(_ place: UnsafePointer<CChar>, name path: String, limits: ImageLimits) throws(ImageError) -> Data {
        // Opening a pipe that nobody writes to must not wait.
        let file = open(place, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard file >= 0 else { throw .unreadable(path: path, reason: reason(errno)) }
        defer { close(file) }
        var status = stat()
        guard fstat(file, &status) == 0 else { throw .unreadable(path: path, reason: reason(errno)) }
        switch status.st_mode & S_IFMT {
        case S_IFREG: break
        case S_IFDIR: throw .unreadable(path: path, reason: "it is a folder, so name a picture in it")
        default: throw .unreadable(path: path, reason: "it is no regular file, so read its bytes and pass those")
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
}
