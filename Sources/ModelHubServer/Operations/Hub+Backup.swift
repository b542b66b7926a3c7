import Foundation

extension Hub {
    /// Copies the records and all files that they need into a folder while the hub works.
    ///
    /// The records are taken first and put in place last, so that the folder is a whole backup at every moment: the old
    /// one or the new one. No file that the records need is removed meanwhile, since those stay for the grace period.
    ///
    /// - Returns: how many files were not there yet.
    public func backUp(to folder: URL) async throws -> Int {
        try SystemCalls.makeFolder(folder)
        let part = folder.appending(path: "hub.sqlite.part")
        try? FileManager.default.removeItem(at: part)
        try await metadata.backUp(to: part)
        let copy = try SQLiteMetadataStore(part)
        let needed = try await copy.referencedBlobs()
        try copy.close()
        let target = try FileBlobStore(folder: folder.appending(path: "blobs"))
        var copied = 0
        for (hash, byteCount) in needed
        where try !target.contains(hash) || FileHash.size(target.file(for: hash)) != byteCount {
            try Self.copy(try blobs.file(for: hash), as: hash, into: target, by: folder)
            copied += 1
        }
        try Self.moveRecords(part, to: folder)
        return copied
    }

    /// Makes a hub of a backup.
    ///
    /// - Throws: `.alreadyExists` if the folder has a hub already.
    public static func restore(from backup: URL, to folder: URL) throws {
        let records = backup.appending(path: "hub.sqlite")
        guard FileManager.default.fileExists(atPath: records.path) else {
            throw HubError(
                .notFound,
                "\(backup.path) is no backup of a hub; name the folder that `sightline hub backup` wrote."
            )
        }
        guard !FileManager.default.fileExists(atPath: folder.appending(path: "hub.sqlite").path) else {
            throw HubError(
                .alreadyExists,
                "\(folder.path) has a hub already; name an empty folder with --data, or move that hub away."
            )
        }
        let source = try FileBlobStore(folder: backup.appending(path: "blobs"))
        let target = try FileBlobStore(folder: folder.appending(path: "blobs"))
        for blob in try source.contents() {
            try copy(try source.file(for: blob.hash), as: blob.hash, into: target, by: folder)
        }
        let part = folder.appending(path: "hub.sqlite.part")
        try? FileManager.default.removeItem(at: part)
        try copy(records, to: part)
        try moveRecords(part, to: folder)
    }

    private static func copy(_ file: URL, as hash: BlobHash, into target: FileBlobStore, by folder: URL) throws {
        let part = folder.appending(path: "blob.part")
        try? FileManager.default.removeItem(at: part)
        try copy(file, to: part)
        try target.store(fileAt: part, as: hash)
    }

    private static func copy(_ file: URL, to target: URL) throws {
        do {
            try FileManager.default.copyItem(at: file, to: target)
        } catch {
            throw HubError(
                .internal,
                "\(file.path) cannot be copied to \(target.path); check the disk and the permissions."
            )
        }
        let descriptor = open(target.path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0, fsync(descriptor) == 0 else { throw SystemCalls.failure("store the file", errno) }
        close(descriptor)
    }

    private static func moveRecords(_ part: URL, to folder: URL) throws {
        guard rename(part.path, folder.appending(path: "hub.sqlite").path) == 0 else {
            throw SystemCalls.failure("store the records", errno)
        }
        // Of a database that was opened; what they held is in the file.
        for suffix in ["-wal", "-shm"] { unlink(part.path + suffix) }
        try SystemCalls.synchronizeFolder(folder.path)
    }
}
