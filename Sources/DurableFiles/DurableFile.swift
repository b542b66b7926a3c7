import Foundation

/// Files that are there as a whole or not at all.
package enum DurableFile {
    /// The beginning of the names of files that are being written.
    package static let partialPrefix = ".partial-"

    /// Writes a file so that neither a crash nor a power failure leaves a part of it: the bytes go to another file in the
    /// same folder, reach the disk, and then replace the file with the name.
    ///
    /// A process that is killed leaves the other file. The next process that writes into the folder removes it.
    ///
    /// - Parameters:
    ///   - permissions: The permissions of the file, before the process's umask applies.
    ///   - isSynchronized: Whether the call waits until the bytes are on disk. Without that, a power failure may lose the file.
    /// - Throws: `DurableFileError`. The other file is then removed.
    package static func write(
        _ data: Data,
        to url: URL,
        permissions: mode_t = 0o644,
        isSynchronized: Bool = true
    ) throws(DurableFileError) {
        try write(to: url, permissions: permissions, isSynchronized: isSynchronized) {
            (file: borrowing FileDescriptor) throws(DurableFileError) in try file.write(data)
        }
    }

    /// Writes a file as ``write(_:to:permissions:isSynchronized:)`` does, with the bytes that a closure writes into it one after another.
    package static func write(
        to url: URL,
        permissions: mode_t = 0o644,
        isSynchronized: Bool = true,
        _ contents: (borrowing FileDescriptor) throws(DurableFileError) -> Void
    ) throws(DurableFileError) {
        let path = url.path(percentEncoded: false)
        let folder = url.deletingLastPathComponent().path(percentEncoded: false)
        Leftovers.remove(in: folder)
        do throws(DurableFileError) {
            let file = try Leftovers.newFile(in: folder, permissions: permissions)
            do throws(DurableFileError) {
                try contents(file)
                if isSynchronized {
                    try file.synchronize()
                    try move(file.path, to: url)
                } else if rename(file.path, path) != 0 {
                    throw DurableFileError(path: path, code: errno)
                }
            } catch {
                unlink(file.path)
                throw error
            }
        } catch {
            throw DurableFileError(path: path, code: error.code)
        }
    }

    /// Gives a file that is on disk another name, and writes the new name to disk. A file that has the name is replaced.
    package static func move(_ path: String, to url: URL) throws(DurableFileError) {
        let target = url.path(percentEncoded: false)
        guard rename(path, target) == 0 else { throw DurableFileError(path: target, code: errno) }
        try synchronizeFolder(url.deletingLastPathComponent())
    }

    /// Writes the list of a folder's files to disk. A folder that may not be listed is left to the system, which writes
    /// it later.
    package static func synchronizeFolder(_ url: URL) throws(DurableFileError) {
        let path = url.path(percentEncoded: false)
        let descriptor = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else {
            if errno == EACCES { return }
            throw DurableFileError(path: path, code: errno)
        }
        defer { close(descriptor) }
        guard fsync(descriptor) == 0 else { throw DurableFileError(path: path, code: errno) }
    }

    /// Creates a folder and its parents, and writes their names to disk.
    package static func makeFolder(_ url: URL, permissions: mode_t = 0o755) throws(DurableFileError) {
        let path = url.path(percentEncoded: false)
        var status = stat()
        if stat(path, &status) == 0 {
            guard status.st_mode & S_IFMT == S_IFDIR else { throw DurableFileError(path: path, code: ENOTDIR) }
            return
        }
        let parent = url.deletingLastPathComponent()
        if parent.path != url.path { try makeFolder(parent, permissions: permissions) }
        guard mkdir(path, permissions) == 0 || errno == EEXIST else {
            throw DurableFileError(path: path, code: errno)
        }
        // A file system that cannot write it now does so later.
        try? synchronizeFolder(parent)
    }

    /// The size of a regular file in bytes; nil if there is no such file. Links are not followed.
    package static func size(_ url: URL) -> Int? {
        var status = stat()
        guard lstat(url.path(percentEncoded: false), &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
            return nil
        }
        return Int(status.st_size)
    }

    /// The SHA-256 of a file, as 64 lowercase hexadecimal digits.
    package static func sha256(of url: URL) throws(DurableFileError) -> String {
        let file = try FileDescriptor(url.path(percentEncoded: false), O_RDONLY)
        var hash = SHA256()
        try file.read { hash.update($0) }
        return hash.hexadecimalDigest
    }
}
