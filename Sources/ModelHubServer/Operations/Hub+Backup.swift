import DurableFiles
import Foundation
import HTTPServing

/// The result of a backup.
package struct Backup: Sendable, Hashable {
    /// The number of files that were copied because the backup did not have them.
    package var copiedFiles: Int
    /// The number of files that the backup had, but with other bytes than its hash names; they were copied again.
    package var replacedFiles: Int
    /// The number of all files of the backup. Each was read again at the end, and has its hash.
    package var wholeFiles: Int
    /// Whether other users may enter or list the folder. Only its owner can read its files in any case.
    package var isFolderOpenToOthers: Bool
}

extension Hub {
    /// Copies the records and all their files into a folder while the hub runs.
    ///
    /// The records are copied first and moved into place last, so that the folder contains a complete backup at every
    /// moment: the old one or the new one. Each file is compared with its hash while it is copied. At the end SQLite checks the
    /// copied records, and all files of the backup are read and compared with their hashes; those that have decayed there are
    /// copied again. Only the owner can read the backup. Only one process at a time writes into the folder.
    ///
    /// - Throws: `.dataLoss` if a file or the records of the hub are damaged or missing; then the folder keeps its previous backup. `.aborted`
    ///   if another process writes a backup into the folder; `.invalidArgument` for the hub's own folder.
    package func backUp(to folder: URL) async throws -> Backup {
        try await BlockingExecutor.run { try await writeBackup(to: folder) }
    }

    private func writeBackup(to folder: URL) async throws -> Backup {
        guard Self.realPath(folder) != Self.realPath(uploads.deletingLastPathComponent()) else {
            throw HubError(
                .invalidArgument,
                "\(folder.path) is the folder of the hub itself; name another folder for its backup."
            )
        }
        let lock = try Self.lock(folder)
        defer { withExtendedLifetime(lock) {} }
        let part = folder.appending(path: "hub.sqlite.part")
        // SQLite writes into an existing empty file; a file that it creates would be readable by others.
        try SystemCalls.makePrivateFile(part)
        try await records.backUp(to: part)
        let copy = HubRecords(try SQLiteDatabase(part))
        let evaluations = try await copy.evaluationIDs()
        let target = try FileBlobStore(folder: folder.appending(path: "blobs"))
        var copied = try await copyFiles(of: copy, to: target, by: folder).copied
        let decayed = try await Self.decayedFiles(of: copy, in: target)
        for hash in decayed { try await target.remove(hash) }
        if !decayed.isEmpty { _ = try await copyFiles(of: copy, to: target, by: folder) }
        try await copy.forgetUnneededBlobs()
        try await copy.forgetUploads()
        try await copy.setPlaceOfFiles(.folder)
        let verification = try await Verification(of: copy, and: target, readingFiles: false)
        guard verification.problems.isEmpty else {
            throw HubError(.dataLoss, "The copy is not whole: \(verification.problems.joined(separator: " "))")
        }
        try await copy.database.close()
        let evaluationCopies = Self.evaluationFiles(in: folder)
        for id in evaluations { copied += try await evaluationCopies.copy(id, from: evaluationFiles, by: folder) }
        try Self.moveRecords(part, to: folder)
        for id in try await evaluationCopies.evaluations().subtracting(evaluations) {
            try? await evaluationCopies.remove(id)
        }
        return Backup(
            copiedFiles: copied,
            replacedFiles: decayed.count,
            wholeFiles: verification.intactFiles,
            isFolderOpenToOthers: SystemCalls.isOpenToOthers(folder)
        )
    }

    /// The files that records need, and that have other bytes than their hashes name.
    private static func decayedFiles(of records: HubRecords, in store: FileBlobStore) async throws -> [BlobHash] {
        var decayed: [BlobHash] = []
        for hash in try await records.referencedBlobs().keys {
            do {
                if try await FileHash.read(store.open(hash)).hash != hash { decayed.append(hash) }
            } catch let error as HubError where error.code == .dataLoss {
                // A link or a folder has the place of the file.
                decayed.append(hash)
            }
        }
        return decayed
    }

    /// Checks a backup without changing it: SQLite's check of its records, and the size and hash of each file.
    ///
    /// - Throws: `.notFound` or `.failedPrecondition` if the folder is not a backup.
    package static func verifyBackup(_ backup: URL) async throws -> Verification {
        try await BlockingExecutor.run {
            let file = try recordsFile(of: backup)
            return try await PrivateFolder.with { folder in
                // SQLite would write beside the file.
                let part = folder.appending(path: "hub.sqlite")
                _ = try await FileHash.copy(StoredFile(try LocalFile(file)), to: part)
                let blobs = try FileBlobStore(folder: backup.appending(path: "blobs"))
                do {
                    let records = HubRecords(try SQLiteDatabase(part))
                    let verification = try await Verification(of: records, and: blobs, readingFiles: true)
                    try await records.close()
                    return verification
                } catch let error as HubError {
                    throw error
                } catch {
                    let problem = damagedRecords(of: backup, error).message
                    return Verification(intactFiles: 0, unreferencedFiles: 0, problems: [problem])
                }
            }
        }
    }

    /// The error of records that SQLite cannot read.
    private static func damagedRecords(of backup: URL, _ error: any Error) -> HubError {
        HubError(.dataLoss, "The records of the backup \(backup.path) are damaged (\(error)); use another backup.")
    }

    /// Creates a hub from a backup.
    ///
    /// Only regular files are copied, and each is compared with its hash, before the records are moved into place.
    ///
    /// - Throws: `.alreadyExists` if the folder already has a hub; `.dataLoss` if the backup is damaged or contains
    ///   links.
    package static func restore(from backup: URL, to folder: URL) async throws {
        try await BlockingExecutor.run { try await readBackup(backup, into: folder) }
    }

    /// The records of a backup, if the folder is one.
    private static func recordsFile(of backup: URL) throws -> URL {
        let file = backup.appending(path: "hub.sqlite")
        guard FileManager.default.fileExists(atPath: file.path) else {
            throw HubError(
                .notFound,
                "\(backup.path) is not a backup of a hub; use the folder that `sightline hub backup` wrote."
            )
        }
        // A copy of the file alone would lack the newest changes, which are next to it while a hub has it open.
        guard FileHash.size(backup.appending(path: "hub.sqlite-wal")) ?? 0 == 0 else {
            throw HubError(
                .failedPrecondition,
                "\(backup.path) is the folder of a hub in use, or a backup that was used as a hub; make a backup of it with `sightline hub backup`, and restore that."
            )
        }
        return file
    }

    private static func readBackup(_ backup: URL, into folder: URL) async throws {
        let file = try recordsFile(of: backup)
        guard !FileManager.default.fileExists(atPath: folder.appending(path: "hub.sqlite").path) else {
            throw HubError(
                .alreadyExists,
                "\(folder.path) already contains a hub; pass an empty folder with --data, or move that hub away."
            )
        }
        let lock = try lock(folder)
        defer { withExtendedLifetime(lock) {} }
        let part = folder.appending(path: "hub.sqlite.part")
        _ = try await FileHash.copy(StoredFile(try LocalFile(file)), to: part)
        do {
            let restored = HubRecords(try SQLiteDatabase(part))
            // A comparison of the log with a newer copy shows why it continues differently.
            try await restored.logRestoration(at: .now)
            try await restored.close()
        } catch let error as HubError {
            throw error
        } catch {
            throw damagedRecords(of: backup, error)
        }
        let source = try FileBlobStore(folder: backup.appending(path: "blobs"))
        let target = try FileBlobStore(folder: folder.appending(path: "blobs"))
        for blob in try await source.contents() {
            let stored = source.path(of: blob.hash)
            try await copy(
                StoredFile(try LocalFile(stored)),
                named: stored.path,
                as: blob.hash,
                into: target,
                by: folder
            )
        }
        let evaluations = evaluationFiles(in: backup)
        for id in try await evaluations.evaluations() {
            try evaluations.refuseLinks(id)
            _ = try await evaluationFiles(in: folder).copy(id, from: evaluations, by: folder)
        }
        try moveRecords(part, to: folder)
    }

    private static func evaluationFiles(in folder: URL) -> FolderEvaluationFileStore {
        FolderEvaluationFileStore(folder: folder.appending(path: FolderEvaluationFileStore.folderName))
    }

    /// Locks a folder, which it creates if necessary, and removes what a killed process left there.
    private static func lock(_ folder: URL) throws -> FileLock {
        try SystemCalls.makeFolder(folder)
        let lock: FileLock?
        do {
            lock = try FileLock.takenIfFree(folder: folder.path)
        } catch {
            throw SystemCalls.failure("lock the folder \(folder.path)", error.code)
        }
        guard let lock else {
            throw HubError(
                .aborted,
                "Another command writes a backup into \(folder.path), or restores one there; wait for its end, or name another folder."
            )
        }
        removeRecords(folder.appending(path: "hub.sqlite.part"))
        for name in (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? [] where isPart(name) {
            unlink(folder.appending(path: name).path)
        }
        return lock
    }

    private static func realPath(_ url: URL) -> String {
        guard let path = realpath(url.path, nil) else { return url.standardizedFileURL.path }
        defer { free(path) }
        return String(cString: path)
    }

    private static func moveRecords(_ part: URL, to folder: URL) throws {
        // Changes next to earlier records, if those were opened as a hub. SQLite would add them to the new records.
        for suffix in ["-wal", "-shm", "-journal"] { unlink(folder.appending(path: "hub.sqlite\(suffix)").path) }
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
