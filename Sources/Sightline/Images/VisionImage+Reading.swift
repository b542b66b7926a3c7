import Foundation

extension VisionImage {
    /// Reads a regular file of at most `limits.maximumBytes`.
    ///
    /// It is copied rather than mapped: a mapped file that another process shortens, as cameras do that overwrite their
    /// snapshot, ends the reading process, and mapping was no faster.
    static func read(_ url: URL, limits: ImageLimits) throws(ImageError) -> Data {
        let path = url.path(percentEncoded: false)
        guard url.isFileURL else { throw .unreadable(path: url.absoluteString, reason: "it is not a file URL") }
        var status = stat()
        guard stat(path, &status) == 0 else {
            throw .unreadable(path: path, reason: Self.reason(errno))
        }
        switch status.st_mode & S_IFMT {
        case S_IFREG: break
        case S_IFDIR: throw .unreadable(path: path, reason: "it is a folder; name a picture in it")
        default: throw .unreadable(path: path, reason: "it is no regular file; read its bytes and pass those")
        }
        try limits.check(bytes: Int(status.st_size))
        do {
            return try Data(contentsOf: url)
        } catch {
            throw .unreadable(
                path: path,
                reason: access(path, R_OK) == 0 ? "reading it failed" : Self.reason(errno)
            )
        }
    }

    private static func reason(_ code: Int32) -> String {
        switch code {
        case ENOENT, ENOTDIR: "there is no such file"
        case EACCES, EPERM: "permission is denied"
        default: String(cString: strerror(code))
        }
    }
}
