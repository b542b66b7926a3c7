import Foundation

/// The result of a backup.
public struct Backup: Sendable, Hashable {
    /// The number of files that were copied because the backup did not have them.
    public var copiedFiles: Int
    /// Whether other users may enter or list the folder. Only its owner can read its files in any case.
    public var isFolderOpenToOthers: Bool
}

extension Hub {
    /// Copies the records and all their files into a folder while the hub runs.
    ///
    /// The records are copied first and moved into place last, so that the folder contains a complete backup at every
    /// moment: the old one or the new one. Each file is compared with its hash while it is copied. Only the owner can
    /// read the backup.
    ///
    /// - Throws: `.dataLoss` if a file of the hub is damaged or missing; then the folder keeps its previous backup.
    public func backUp(to folder: URL) async throws -> Backup {
        try SystemCalls.makeFolder(folder)
        let part = folder.appending(path: "hub.sqlite.part")
        // SQLite writes into an existing empty file; a file that it creates would be readable by others.
        Self.removeRecords(part)
        try SystemCalls.makePrivateFile(part)
        try await metadata.backUp(to: part)
        let copy = SQLMetadataStore(try SQLiteDatabase(part))
        let evaluations = try await copy.evaluationIDs()
        let target = try FileBlobStore(folder: folder.appending(path: "blobs"))
        var copied = try await copyFiles(of: copy, to: target, by: folder).copied
        try await copy.forgetUnneededBlobs()
        try await copy.forgetUploads()
        try await copy.setPlaceOfFiles(.folder)
        try await copy.database.close()
        let evaluationCopies = Self.evaluationFiles(in: folder)
        for id in evaluations { copied += try await evaluationCopies.copy(id, from: evaluationFiles, by: folder) }
        try Self.moveRecords(part, to: folder)
        for id in try await evaluationCopies.evaluations().subtracting(evaluations) {
            try? await evaluationCopies.remove(id)
        }
        return Backup(copiedFiles: copied, isFolderOpenToOthers: SystemCalls.isOpenToOthers(folder))
    }

    /// Creates a hub from a backup.
    ///
    /// Only regular files are copied, and each is compared with its hash, before the records are moved into place.
    ///
    /// - Throws: `.alreadyExists` if the folder already has a hub; `.dataLoss` if the backup is damaged or contains
    ///   links.
    public static func restore(from backup: URL, to folder: URL) async throws {
        let records = backup.appending(path: "hub.sqlite")
        guard FileManager.default.fileExists(atPath: records.path) else {
            throw HubError(
                .notFound,
                "\(backup.path) is not a backup of a hub; use the folder that `sightline hub backup` wrote."
            )
        }
        guard !FileManager.default.fileExists(atPath: folder.appending(path: "hub.sqlite").path) else {
            throw HubError(
                .alreadyExists,
                "\(folder.path) already contains a hub; pass an empty folder with --data, or move that hub away."
            )
        }
        let source = try FileBlobStore(folder: backup.appending(path: "blobs"))
        let target = try FileBlobStore(folder: folder.appending(path: "blobs"))
        for blob in try await source.contents() {
            let file = source.path(of: blob.hash)
            try await copy(StoredFile(try LocalFile(file)), named: file.path, as: blob.hash, into: target, by: folder)
        }
        let evaluations = evaluationFiles(in: backup)
        for id in try await evaluations.evaluations() {
            try evaluations.refuseLinks(id)
            _ = try await evaluationFiles(in: folder).copy(id, from: evaluations, by: folder)
        }
        let part = folder.appending(path: "hub.sqlite.part")
        Self.removeRecords(part)
        _ = try await FileHash.copy(StoredFile(try LocalFile(records)), to: part)
        try moveRecords(part, to: folder)
    }

    private static func evaluationFiles(in folder: URL) -> FolderEvaluationFileStore {
        FolderEvaluationFileStore(folder: folder.appending(path: FolderEvaluationFileStore.folderName))
    }

    private static func moveRecords(_ part: URL, to folder: URL) throws {
        guard rename(part.path, folder.appending(path: "hub.sqlite").path) == 0 else {
            throw SystemCalls.failure("store the records", errno)
        }
        // Files of an earlier open database; the database file contains their contents.
        removeRecords(part)
        try SystemCalls.synchronizeFolder(folder.path)
    }

    /// Removes records that were not moved into place, and SQLite's files beside them.
    private static func removeRecords(_ part: URL) {
        for suffix in ["", "-wal", "-shm", "-journal"] { unlink(part.path + suffix) }
    }
}
