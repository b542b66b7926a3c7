import Foundation

extension Hub {
    /// Reads the usage of a project's quota. Must be called before a file is received.
    func noteUsage(of project: String) async throws { ledger.note(try await usageIfLimited(of: project), of: project) }

    /// The usage of a project, with its unfinished uploads; nil if it has no quota, because then the usage is not
    /// needed.
    func usageIfLimited(of project: String) async throws -> ProjectUsage? {
        // The project's record may have changed since the caller signed in.
        guard try await records.project(project)?.quota != nil else { return nil }
        var usage = try await records.usage(of: project)
        usage.byteCount += try await records.unfinishedBytes(of: project)
        return usage
    }

    /// A file for an upload to a project. Its bytes count toward the quota as they arrive.
    func stage(for project: Project, limit: Int? = nil) throws(HubError) -> StagedFile {
        try StagedFile(
            in: uploads,
            limit: limit ?? options.maximumModelSize,
            entry: ledger.entry(of: project.id)
        )
    }

    /// Whether a project has a bucket: the buckets that Firebase creates with a project, and all buckets with objects.
    func hasBucket(_ name: String, _ project: Project) async throws -> Bool {
        if ["appspot.com", "firebasestorage.app"].contains(where: { name == "\(project.id).\($0)" }) { return true }
        return try await records.hasObjects(in: name, of: project.id)
    }

    /// Stores a received file under a name. First its bytes are on disk, then its record.
    ///
    /// - Parameters:
    ///   - entry: The file's entry in the ledger, which ends when the records contain the file.
    ///   - upload: The id of the resumable upload.
    func keep(
        _ summary: FileSummary,
        at url: URL,
        entry: UploadLedger.Entry?,
        upload: String? = nil,
        as address: ObjectAddress,
        contentType: String,
        by caller: Caller
    ) async throws -> StorageObject {
        let project = caller.project.id
        let old = try await records.object(address.name, in: address.bucket, of: project)
        let object = StorageObject(
            project: project,
            bucket: address.bucket,
            name: address.name,
            hash: summary.hash,
            byteCount: summary.byteCount,
            crc32c: summary.crc32c,
            md5: summary.md5,
            contentType: contentType,
            createTime: now()
        )
        let line = audit(caller, "object.upload", object.uri, "hash \(summary.hash), \(summary.byteCount) bytes")
        try await claim(StoredBlob(hash: summary.hash, byteCount: summary.byteCount))
        do {
            try await store(summary.hash, from: url)
            try await records.put(object, upload: upload, audit: line)
        } catch {
            // In a separate task, since the caller's task may be canceled.
            try? await Task { try await records.abandonClaim(of: summary.hash) }.value
            if (error as? HubError)?.code == .resourceExhausted { await removeFileIfUnused(summary.hash) }
            throw error
        }
        if let old, old.hash != object.hash { await removeFileIfUnused(old.hash) }
        entry?.release(noting: try await usageIfLimited(of: project))
        return object
    }

    /// Removes an object, and its file unless it is still needed; false if the object does not exist.
    func deleteObject(_ address: ObjectAddress, by caller: Caller) async throws -> Bool {
        let project = caller.project.id
        guard let object = try await records.object(address.name, in: address.bucket, of: project) else {
            return false
        }
        let isDeleted = try await records.deleteObject(
            address.name,
            in: address.bucket,
            of: project,
            at: now(),
            audit: audit(caller, "object.delete", address.uri)
        )
        if isDeleted { await removeFileIfUnused(object.hash) }
        return isDeleted
    }

    /// Removes a file that no model has or had, so that no address leads to it, and that no object has any more. Such a
    /// file need not stay for the grace period, and would not count toward a quota. If this fails, the clean-up removes
    /// it later.
    private func removeFileIfUnused(_ hash: BlobHash) async { await removeFilesIfUnused([hash]) }

    /// Removes those of the files that no model has or had and that nothing needs any more, as above.
    func removeFilesIfUnused(_ hashes: [BlobHash]) async {
        // In a separate task: a removal that has begun also ends if the caller's task is canceled.
        _ = try? await Task { try await remove(hashes, if: .neverServed) }.value
    }

    /// Stores a received file, unless a previous attempt, which was interrupted, did this.
    private func store(_ hash: BlobHash, from url: URL) async throws {
        if FileHash.size(url) != nil {
            try await blobs.store(fileAt: url, as: hash)
        } else if try await !blobs.contains(hash) {
            throw HubError(.notFound, "The uploaded object was removed meanwhile; start the upload again.")
        }
    }

    /// Removes files that were being received when an earlier process ended. Files of current requests are younger, also
    /// if the clock of the machine, which dates files, jumps an hour ahead.
    func removeStagedFiles() {
        let time = Timestamp.now.milliseconds / 1000
        for name in (try? FileManager.default.contentsOfDirectory(atPath: uploads.path)) ?? []
        where !name.hasSuffix(FolderPieceStore.suffix) {
            let path = uploads.appending(path: name).path
            var status = stat()
            guard lstat(path, &status) == 0, time - Int64(status.st_mtim.tv_sec) > 3 * 3600 else { continue }
            unlink(path)
        }
    }
}
