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
        let copy = try SQLiteMetadataStore(part)
        let needed = try await copy.referencedBlobs()
        let evaluations = try await copy.evaluationIDs()
        let target = try FileBlobStore(folder: folder.appending(path: "blobs"))
        var copied = 0
        for (hash, byteCount) in needed
        where try !target.contains(hash) || FileHash.size(target.file(for: hash)) != byteCount {
            do {
                try Self.copy(try blobs.file(for: hash), as: hash, into: target, by: folder)
                copied += 1
            } catch {
                guard try await isForgotten(hash) else { throw error }
                // The object and its file were deleted after the records were copied.
                try await copy.deleteObjects(of: hash)
            }
        }
        try copy.close()
        let evaluationCopies = folder.appending(path: Self.evaluationsName)
        for id in evaluations {
            copied += try Self.copyEvaluation(self.folder(of: id), to: evaluationCopies.appending(path: "\(id)"))
        }
        try Self.moveRecords(part, to: folder)
        for id in Self.evaluationIDs(in: evaluationCopies) where !evaluations.contains(id) {
            try? FileManager.default.removeItem(at: evaluationCopies.appending(path: "\(id)"))
        }
        return Backup(copiedFiles: copied, isFolderOpenToOthers: SystemCalls.isOpenToOthers(folder))
    }

    /// Whether a file is missing and no longer needed.
    private func isForgotten(_ hash: BlobHash) async throws -> Bool {
        if blobs.contains(hash) { return false }
        return try await metadata.referencedBlobs()[hash] == nil
    }

    /// Creates a hub from a backup.
    ///
    /// Only regular files are copied, and each is compared with its hash, before the records are moved into place.
    ///
    /// - Throws: `.alreadyExists` if the folder already has a hub; `.dataLoss` if the backup is damaged or contains
    ///   links.
    public static func restore(from backup: URL, to folder: URL) throws {
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
        for blob in try source.contents() {
            try copy(source.path(of: blob.hash), as: blob.hash, into: target, by: folder)
        }
        let evaluations = backup.appending(path: evaluationsName)
        for id in evaluationIDs(in: evaluations) {
            let target = folder.appending(path: evaluationsName).appending(path: "\(id)")
            _ = try copyEvaluation(evaluations.appending(path: "\(id)"), to: target)
        }
        let part = folder.appending(path: "hub.sqlite.part")
        Self.removeRecords(part)
        _ = try FileHash.copy(records, to: part)
        try moveRecords(part, to: folder)
    }

    private static func evaluationIDs(in folder: URL) -> [Int64] {
        ((try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []).compactMap { Int64($0) }
    }

    /// Copies the pictures of an evaluation, unless they exist, and its report, each as a whole.
    ///
    /// - Returns: The number of new files. Files that were deleted meanwhile, and missing reports, do not count.
    private static func copyEvaluation(_ source: URL, to target: URL) throws -> Int {
        var copied = 0
        for folder in [source.deletingLastPathComponent(), source] { try SystemCalls.refuseLink(folder) }
        for name in [EvaluationFolder.archive, EvaluationFolder.report] {
            let (file, place) = (source.appending(path: name), target.appending(path: name))
            guard let size = FileHash.size(file) else { continue }
            let isNew = FileHash.size(place) == nil
            // The pictures of an evaluation never change; its report changes if the evaluation is repeated.
            if name == EvaluationFolder.archive, FileHash.size(place) == size { continue }
            try SystemCalls.makeFolder(target)
            let part = target.appending(path: "\(name).part")
            _ = try FileHash.copy(file, to: part)
            guard rename(part.path, place.path) == 0 else { throw SystemCalls.failure("store the evaluation", errno) }
            try SystemCalls.synchronizeFolder(target.path)
            if isNew { copied += 1 }
        }
        return copied
    }

    private static func copy(_ file: URL, as hash: BlobHash, into target: FileBlobStore, by folder: URL) throws {
        let part = folder.appending(path: "blob.part")
        guard try FileHash.copy(file, to: part).hash == hash else {
            unlink(part.path)
            throw HubError(
                .dataLoss,
                "\(file.path) is damaged: its SHA-256 differs from its name; replace it from another backup, or remove it to "
                    + "continue without it."
            )
        }
        try target.store(fileAt: part, as: hash)
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
