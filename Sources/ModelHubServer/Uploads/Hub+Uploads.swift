import Foundation

extension Hub {
    /// Looks at how much of its quota a project uses. To be called before a file is received for it.
    func noteUsage(of project: String) async throws { ledger.note(try await usageIfLimited(of: project), of: project) }

    /// What a project uses; nil if it has no quota, for then nobody needs to know.
    func usageIfLimited(of project: String) async throws -> ProjectUsage? {
        // The project's record may have changed since the caller signed in.
        guard try await metadata.project(project)?.quota != nil else { return nil }
        return try await metadata.usage(of: project)
    }

    /// A place for a file that is to be received for a project. Its bytes count in the quota as they come.
    func stage(for project: Project, limit: Int? = nil) throws(HubError) -> StagedFile {
        try StagedFile(
            in: uploads,
            limit: limit ?? options.maximumModelSize,
            entry: ledger.entry(of: project.id)
        )
    }

    /// Whether a project has a bucket: those that Firebase makes with a project, and any that an object was uploaded to.
    func hasBucket(_ name: String, _ project: Project) async throws -> Bool {
        if ["appspot.com", "firebasestorage.app"].contains(where: { name == "\(project.id).\($0)" }) { return true }
        return try await metadata.hasObjects(in: name, of: project.id)
    }

    /// Keeps a file that was received, under a name. First its bytes are on the disk, then its record is.
    ///
    /// - Parameters:
    ///   - entry: the file's entry in the ledger, which ends when the records have the file.
    ///   - upload: the id of the upload in several requests that brought it.
    func keep(
        _ summary: StagedFile.Summary,
        at url: URL,
        entry: UploadLedger.Entry?,
        upload: String? = nil,
        as address: ObjectAddress,
        contentType: String,
        by caller: Caller
    ) async throws -> StorageObject {
        let project = caller.project.id
        let old = try await metadata.object(address.name, in: address.bucket, of: project)
        // An upload that was interrupted here has its file in place already.
        if FileHash.size(url) != nil || !blobs.contains(summary.hash) {
            try blobs.store(fileAt: url, as: summary.hash)
        }
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
        do {
            try await metadata.put(object, upload: upload, audit: line, contains: { blobs.contains($0) })
        } catch let error as HubError where error.code == .resourceExhausted {
            await removeFileIfUnused(summary.hash)
            throw error
        }
        if let old, old.hash != object.hash { await removeFileIfUnused(old.hash) }
        entry?.release(noting: try await usageIfLimited(of: project))
        return object
    }

    /// Removes an object and, unless something needs it, its file; gives false if there is none.
    func deleteObject(_ address: ObjectAddress, by caller: Caller) async throws -> Bool {
        let project = caller.project.id
        guard let object = try await metadata.object(address.name, in: address.bucket, of: project) else {
            return false
        }
        let isDeleted = try await metadata.deleteObject(
            address.name,
            in: address.bucket,
            of: project,
            at: now(),
            audit: audit(caller, "object.delete", address.uri)
        )
        if isDeleted { await removeFileIfUnused(object.hash) }
        return isDeleted
    }

    /// Removes a file that no model has or had, so that no address leads to it, and that no object has any more. It need not stay
    /// for the grace period, and would not count in a quota. If this fails, the clean-up removes it later.
    private func removeFileIfUnused(_ hash: BlobHash) async {
        let ever = Timestamp(milliseconds: 0)
        _ = try? await metadata.removeUnreferenced([hash], since: ever) { try blobs.remove($0) }
    }

    /// Removes what was left by uploads that broke off with the process, and those in several requests that stand still too
    /// long. Files that are being received at this moment are younger.
    func removeStagedFiles() {
        let names = Set((try? FileManager.default.contentsOfDirectory(atPath: uploads.path)) ?? [])
        let time = now().milliseconds / 1000
        func age(_ name: String) -> Int64? {
            var status = stat()
            guard lstat(uploads.appending(path: name).path, &status) == 0 else { return nil }
            return time - Int64(status.st_mtim.tv_sec)
        }
        for name in names {
            let stem = name.prefix { $0 != "." }
            let isOfSession = names.contains("\(stem)\(UploadRecord.suffix)")
            let parts = isOfSession ? ["\(stem).part", "\(stem)\(UploadRecord.suffix)"] : [name]
            let limit = isOfSession ? UploadSessions.lifetime.components.seconds : 3600
            guard let youngest = parts.compactMap(age).min(), youngest > limit else { continue }
            unlink(uploads.appending(path: name).path)
        }
    }
}
