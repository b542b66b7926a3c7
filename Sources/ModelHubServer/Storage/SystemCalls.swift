import DurableFiles
import Foundation

/// File operations whose errors are those for the hub's caller, with the system's reasons.
enum SystemCalls {
    /// Writes all bytes at a file's position.
    static func write(_ bytes: UnsafeRawBufferPointer, to descriptor: Int32) throws(HubError) {
        try storing { () throws(DurableFileError) in try FileDescriptor.write(bytes, to: descriptor, path: "") }
    }

    /// Replaces a small file as a whole: after a crash the file is the old one or the new one.
    static func replace(_ url: URL, with data: Data) throws(HubError) {
        try storing { () throws(DurableFileError) in try DurableFile.write(data, to: url, permissions: 0o600) }
    }

    /// Writes the list of a folder's files to disk.
    static func synchronizeFolder(_ path: String) throws(HubError) {
        try storing { () throws(DurableFileError) in
            try DurableFile.synchronizeFolder(URL(filePath: path, directoryHint: .isDirectory))
        }
    }

    /// Runs an operation on files, whose errors become errors for the hub's caller.
    private static func storing(_ body: () throws(DurableFileError) -> Void) throws(HubError) {
        do throws(DurableFileError) { try body() } catch { throw failure("store the file", error.code) }
    }

    /// Opens a file for reading. Links, pipes and devices are rejected, because they may lead to anything.
    static func openRegularFile(_ path: String) throws(HubError) -> Int32 {
        // A pipe without a writer must not block the caller.
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
        guard descriptor >= 0 else {
            throw errno == ELOOP ? .notARegularFile(path) : failure("read a file", errno)
        }
        var status = stat()
        guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
            close(descriptor)
            throw .notARegularFile(path)
        }
        return descriptor
    }

    /// Whether a path is a regular file and not a link.
    static func isRegularFile(_ url: URL) -> Bool { mode(url).map { $0 & S_IFMT == S_IFREG } ?? false }

    /// Throws an error if a path is a link.
    static func refuseLink(_ url: URL) throws(HubError) {
        if mode(url).map({ $0 & S_IFMT == S_IFLNK }) == true { throw .notARegularFile(url.path) }
    }

    /// Whether users other than the owner have any access to a file or folder.
    static func isOpenToOthers(_ url: URL) -> Bool { mode(url).map { $0 & 0o077 != 0 } ?? false }

    private static func mode(_ url: URL) -> mode_t? {
        var status = stat()
        return lstat(url.path, &status) == 0 ? status.st_mode : nil
    }

    /// Creates a folder that only its owner may enter, and its parents.
    static func makeFolder(_ url: URL) throws(HubError) {
        do {
            try FileManager.default.createDirectory(
                at: url,
                withIntermediateDirectories: true,
                attributes: [.posixPermissions: 0o700]
            )
        } catch {
            throw HubError(.internal, "The folder \(url.path) cannot be created; check its permissions and the disk.")
        }
    }

    /// Creates a new empty file that only its owner can read. An existing file is replaced.
    static func makePrivateFile(_ url: URL) throws(HubError) {
        unlink(url.path)
        let descriptor = open(url.path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else { throw failure("store the file", errno) }
        close(descriptor)
    }

    /// The error for the hub's caller after a failed system call.
    static func failure(_ action: String, _ code: Int32) -> HubError {
        switch code {
        case ENOSPC, EDQUOT, EFBIG: .diskFull
        case EMFILE, ENFILE: .tooManyFiles
        default:
            HubError(.internal, "The hub cannot \(action) (\(String(cString: strerror(code)))); see its log.")
        }
    }
}

extension HubError {
    /// The disk with the hub's files or records is full. Requests succeed again as soon as there is room.
    static let diskFull = HubError(
        .unavailable,
        "The hub's disk is full; free some space on it, then try again.",
        retryAfter: .seconds(30)
    )
    /// The system permits no more open files.
    static let tooManyFiles = HubError(
        .unavailable,
        "The hub has too many files open; try again in a few seconds.",
        retryAfter: .seconds(2)
    )

    /// Whether this machine has no room for another file, or another open file.
    var isDiskFull: Bool { self == .diskFull || self == .tooManyFiles }
}

extension HubError {
    /// The error for a path that is not a regular file.
    fileprivate static func notARegularFile(_ path: String) -> HubError {
        HubError(
            .dataLoss,
            "\(URL(filePath: path).lastPathComponent) is a link or a device, which the hub does not read; put the file itself in its "
                + "place, or remove it."
        )
    }
}
