import Foundation

/// What a backup did.
public struct Backup: Sendable, Hashable {
    /// How many files were copied, since they were not there yet.
    public var copiedFiles: Int
    /// Whether other users may enter or list the folder. Its files are its owner's alone in any case.
    public var isFolderOpenToOthers: Bool
}

extension Hub {
    /// Copies the records and all files that they need into a folder while the hub works.
    ///
    /// The records are taken first and put in place last, so that the folder is a whole backup at every moment: the old
    /// one or the new one. Each file is compared with its hash on the way. Nobody but the owner may read what is written.
    ///
    /// - Throws: `.dataLoss` if a file of the hub is damaged or missing; then the folder has the backup that it had before.
    public func backUp(to folder: URL) async throws -> Backup {
        try SystemCalls.makeFolder(folder)
        let part = folder.appending(path: "hub.sqlite.part")
        // SQLite writes into an empty file that is there, and would make one that others may read.
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
                // The object was deleted after the records were taken, and its file with it.
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

    /// Whether a file is neither there nor needed any more.
    private func isForgotten(_ hash: BlobHash) async throws -> Bool {
        if blobs.contains(hash) { return false }
        return try await metadata.referencedBlobs()[hash] == nil
    }

    /// Makes a hub of a backup.
    ///
    /// Nothing but regular files is copied, and each is compared with its hash, before the records are put in place.
    ///
    /// - Throws: `.alreadyExists` if the folder has a hub already; `.dataLoss` if the backup is damaged or has links in it.
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

    /// Copies the pictures of an evaluation, unless they are there, and its report, each as a whole.
    ///
    /// - Returns: how many files were not there yet. One that was deleted meanwhile, or never had a report, is none.
    private static func copyEvaluation(_ source: URL, to target: URL) throws -> Int {
        var copied = 0
        for folder in [source.deletingLastPathComponent(), source] { try SystemCalls.refuseLink(folder) }
        for name in [EvaluationFolder.archive, EvaluationFolder.report] {
            let (file, place) = (source.appending(path: name), target.appending(path: name))
            guard let size = FileHash.size(file) else { continue }
            let isNew = FileHash.size(place) == nil
            // The pictures of an evaluation never change; its report does when it is done again.
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
                "\(file.path) is damaged, for it has another SHA-256 than its name says; replace it from another backup, or remove it to go "
                    + "on without it."
            )
        }
        try target.store(fileAt: part, as: hash)
    }

    private static func moveRecords(_ part: URL, to folder: URL) throws {
        guard rename(part.path, folder.appending(path: "hub.sqlite").path) == 0 else {
            throw SystemCalls.failure("store the records", errno)
        }
        // Of a database that was opened; what they held is in the file.
        removeRecords(part)
        try SystemCalls.synchronizeFolder(folder.path)
    }

    /// Removes records that were not put in place, and what SQLite kept beside them.
    private static func removeRecords(_ part: URL) {
        for suffix in ["", "-wal", "-shm", "-journal"] { unlink(part.path + suffix) }
    }
}
