import Foundation

/// An open pipe or socket with a video.
///
/// Unsafe code: the descriptor is owned by this object alone and open until `deinit`.
final class VideoPipe: Sendable {
    let descriptor: Int32

    /// The path of standard input.
    static let standardInput = "/dev/stdin"

    /// Opens a pipe. The other side of a named pipe may let this wait.
    init(path: String) throws(VideoError) {
        let isStandardInput = path == Self.standardInput
        guard !isStandardInput || isatty(STDIN_FILENO) == 0 else {
            throw .unreadable(
                input: "standard input",
                reason: "it is a terminal, which sends no video"
            )
        }
        // A socket cannot be opened by its path.
        descriptor = isStandardInput ? fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 0) : open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw .unreadable(input: path, reason: String(cString: strerror(errno))) }
    }

    deinit { close(descriptor) }

    /// The path of the pipe or socket that a text names, `-` for standard input; nil if the text names something else.
    static func path(_ text: String) -> String? {
        let path = text == "-" ? standardInput : text
        var status = stat()
        guard path == standardInput ? fstat(STDIN_FILENO, &status) == 0 : stat(path, &status) == 0 else { return nil }
        switch status.st_mode & S_IFMT {
        case S_IFIFO, S_IFSOCK: return path
        // A terminal or /dev/null.
        case S_IFCHR: return path == standardInput ? path : nil
        default: return nil
        }
    }

    /// Whether there is a regular file at a path.
    static func isRegularFile(_ path: String) -> Bool {
        var status = stat()
        return stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFREG
    }
}
