import Foundation

/// File calls that must be durable or whole, with the system's reasons in errors.
///
/// The raw bytes here are sound: every write is of a buffer's own start and count, and no buffer outlives its call.
enum SystemCalls {
    /// Writes all bytes at a file's position.
    static func write(_ bytes: UnsafeRawBufferPointer, to descriptor: Int32) throws(HubError) {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = Foundation.write(descriptor, UnsafeRawBufferPointer(rebasing: rest).baseAddress, rest.count)
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { throw failure("store the file", errno) }
            rest = rest.dropFirst(count)
        }
    }

    /// Replaces a small file as a whole: it is the old or the new one whenever the machine stops.
    static func replace(_ url: URL, with data: Data) throws(HubError) {
        let path = url.path + ".new"
        let descriptor = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else { throw failure("store the file", errno) }
        defer { close(descriptor) }
        let written: Result<Void, HubError> = data.withUnsafeBytes { bytes in
            Result { () throws(HubError) in try write(bytes, to: descriptor) }
        }
        try written.get()
        guard fsync(descriptor) == 0, rename(path, url.path) == 0 else { throw failure("store the file", errno) }
        try synchronizeFolder(url.deletingLastPathComponent().path)
    }

    /// Returns when what a folder lists is on the disk.
    static func synchronizeFolder(_ path: String) throws(HubError) {
        let descriptor = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else { throw failure("open its folder", errno) }
        defer { close(descriptor) }
        guard fsync(descriptor) == 0 else { throw failure("store the file", errno) }
    }

    /// Makes a folder that nobody but its owner may enter, and those above it.
    static func makeFolder(_ url: URL) throws(HubError) {
        do {
            try FileManager.default.createDirectory(
                at: url,
                withIntermediateDirectories: true,
                attributes: [.posixPermissions: 0o700]
            )
        } catch {
            throw HubError(.internal, "The folder \(url.path) cannot be made; check its permissions and the disk.")
        }
    }

    /// What a failed system call means for the caller of the hub.
    static func failure(_ action: String, _ code: Int32) -> HubError {
        switch code {
        case ENOSPC, EDQUOT, EFBIG:
            HubError(.resourceExhausted, "The hub's disk is full; make room on it, then try again.")
        case EMFILE, ENFILE:
            HubError(.resourceExhausted, "The hub has too many files open; try again later.")
        default:
            HubError(.internal, "The hub cannot \(action) (\(String(cString: strerror(code)))); its log says more.")
        }
    }
}
