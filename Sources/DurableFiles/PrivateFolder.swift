import Foundation

/// Temporary folders for files with secrets.
package enum PrivateFolder {
    private static let prefix = "sightline-temporary-"

    /// Calls a body with a new temporary folder that only its owner can enter, and removes the folder afterward.
    ///
    /// What killed processes of the same user left is removed first. The owner of such a folder holds its lock, and the system releases the
    /// locks of a process that ends, however it ends.
    ///
    /// - Parameter parent: The folder in which the new one lies.
    package static func with<Value>(
        in parent: URL = FileManager.default.temporaryDirectory,
        _ body: (URL) async throws -> Value
    ) async throws -> Value {
        removeLeftovers(in: parent)
        let (folder, lock) = try make(in: parent)
        defer { lock.whileHeld { _ = try? FileManager.default.removeItem(at: folder) } }
        return try await body(folder)
    }

    /// Makes a folder, and takes its lock.
    private static func make(in parent: URL) throws -> (folder: URL, lock: FileLock) {
        while true {
            let folder = parent.appending(path: prefix + UUID().uuidString)
            try FileManager.default.createDirectory(
                at: folder,
                withIntermediateDirectories: false,
                attributes: [.posixPermissions: 0o700]
            )
            if let lock = try lock(of: folder) { return (folder, lock) }
        }
    }

    /// Takes the lock of a new folder; nil if another process has taken the folder for a leftover before that.
    private static func lock(of folder: URL) throws(DurableFileError) -> FileLock? {
        do throws(DurableFileError) {
            let lock = try FileLock.takenIfFree(folder: folder.path)
            return FileManager.default.fileExists(atPath: folder.path) ? lock : nil
        } catch {
            guard error.code == ENOENT else { throw error }
            return nil
        }
    }

    /// Removes the folders that have no owner any more.
    private static func removeLeftovers(in parent: URL) {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: parent.path)) ?? []
        for folder in names.filter({ $0.hasPrefix(prefix) }).map({ parent.appending(path: $0) }) where isOwn(folder) {
            let lock = try? FileLock.takenIfFree(folder: folder.path)
            lock?.whileHeld { _ = try? FileManager.default.removeItem(at: folder) }
        }
    }

    /// Whether a path is a folder of this user, and not a link to one.
    private static func isOwn(_ folder: URL) -> Bool {
        var status = stat()
        return lstat(folder.path, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR && status.st_uid == geteuid()
    }
}
