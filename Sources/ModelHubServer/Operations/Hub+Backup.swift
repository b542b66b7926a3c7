import Foundation

extension Hub {
    /// Copies the records and all files that they need into a folder while the hub works.
    ///
    /// The records are taken first and put in place last, so that the folder is a whole backup at every moment: the old
    /// one or the new one. No model file that the records need is removed meanwhile, since those stay for the grace period.
    ///
    /// - Returns: how many files were not there yet.
    public func backUp(to folder: URL) async throws -> Int {
        try SystemCalls.makeFolder(folder)
        let part = folder.appending(path: "hub.sqlite.part")
        try? FileManager.default.removeItem(at: part)
        try await metadata.backUp(to: part)
        let copy = try SQLiteMetadataStore(part)
        let needed = try await copy.referencedBlobs()
        let evaluations = try await copy.evaluationIDs()
        try copy.close()
        let target = try FileBlobStore(folder: folder.appending(path: "blobs"))
        var copied = 0
        for (hash, byteCount) in needed
        where try !target.contains(hash) || FileHash.size(target.file(for: hash)) != byteCount {
            try Self.copy(try blobs.file(for: hash), as: hash, into: target, by: folder)
            copied += 1
        }
        let evaluationCopies = folder.appending(path: Self.evaluationsName)
        for id in evaluations {
            copied += try Self.copyEvaluation(self.folder(of: id), to: evaluationCopies.appending(path: "\(id)"))
        }
        try Self.moveRecords(part, to: folder)
        for id in Self.evaluationIDs(in: evaluationCopies) where !evaluations.contains(id) {
            try? FileManager.default.removeItem(at: evaluationCopies.appending(path: "\(id)"))
        }
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
        let evaluations = backup.appending(path: evaluationsName)
        for id in evaluationIDs(in: evaluations) {
            let target = folder.appending(path: evaluationsName).appending(path: "\(id)")
            _ = try copyEvaluation(evaluations.appending(path: "\(id)"), to: target)
        }
        let part = folder.appending(path: "hub.sqlite.part")
        try? FileManager.default.removeItem(at: part)
        try copy(records, to: part)
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
        for name in [EvaluationFolder.archive, EvaluationFolder.report] {
            let (file, place) = (source.appending(path: name), target.appending(path: name))
            guard let size = FileHash.size(file) else { continue }
            let isNew = FileHash.size(place) == nil
            // The pictures of an evaluation never change; its report does when it is done again.
            if name == EvaluationFolder.archive, FileHash.size(place) == size { continue }
            try SystemCalls.makeFolder(target)
            let part = target.appending(path: "\(name).part")
            try? FileManager.default.removeItem(at: part)
            try copy(file, to: part)
            guard rename(part.path, place.path) == 0 else { throw SystemCalls.failure("store the evaluation", errno) }
            try SystemCalls.synchronizeFolder(target.path)
            if isNew { copied += 1 }
        }
        return copied
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
