import Foundation

extension Hub {
    /// A place for a file that is to be received.
    func stage() throws(HubError) -> StagedFile {
        try StagedFile(in: uploads, limit: options.maximumModelSize)
    }

    /// Whether a project has a bucket: those that Firebase makes with a project, and any that an object was uploaded to.
    func hasBucket(_ name: String, _ project: Project) async throws -> Bool {
        if ["appspot.com", "firebasestorage.app"].contains(where: { name == "\(project.id).\($0)" }) { return true }
        return try await metadata.hasObjects(in: name, of: project.id)
    }

    /// Keeps a file that was received, under a name. First its bytes are on the disk, then its record is.
    func keep(
        _ summary: StagedFile.Summary,
        at url: URL,
        as address: ObjectAddress,
        contentType: String,
        by caller: Caller
    ) async throws -> StorageObject {
        try await checkQuota(of: caller.project, adding: summary)
        // An upload that was interrupted here has its file in place already.
        if FileHash.size(url) != nil || !blobs.contains(summary.hash) {
            try blobs.store(fileAt: url, as: summary.hash)
        }
        let object = StorageObject(
            project: caller.project.id,
            bucket: address.bucket,
            name: address.name,
            hash: summary.hash,
            byteCount: summary.byteCount,
            crc32c: summary.crc32c,
            md5: summary.md5,
            contentType: contentType,
            createTime: now()
        )
        let entry = audit(caller, "object.upload", object.uri, "hash \(summary.hash), \(summary.byteCount) bytes")
        try await metadata.put(object, audit: entry, contains: { blobs.contains($0) })
        return object
    }

    private func checkQuota(of project: Project, adding summary: StagedFile.Summary) async throws {
        // The project's record may have changed since the caller signed in.
        guard let quota = try await metadata.project(project.id)?.quota else { return }
        let usage = try await metadata.usage(of: project.id, adding: summary.hash, byteCount: summary.byteCount)
        guard usage <= quota else {
            throw HubError(
                .resourceExhausted,
                "The files of the project \"\(project.id)\" would have \(usage) bytes, its quota is \(quota); delete models or uploads, or "
                    + "raise it with `sightline hub project set`."
            )
        }
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
