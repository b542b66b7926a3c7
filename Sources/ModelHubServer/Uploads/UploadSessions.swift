import Foundation

/// The uploads in several requests that are going on, and those that ended lately, whose clients may ask again.
actor UploadSessions {
    private let folder: URL
    private let maximumSize: Int
    /// nil until they were read from the disk.
    private var known: [String: ResumableUpload]?

    /// How many a project may have going on at once.
    private static let limit = 64
    /// How long one may stand still, as with Cloud Storage.
    static let lifetime = Duration.seconds(24 * 3600)

    /// - Parameters:
    ///   - folder: where they and their bytes are kept.
    ///   - maximumSize: how many bytes each may have.
    init(folder: URL, maximumSize: Int) {
        self.folder = folder
        self.maximumSize = maximumSize
    }

    /// Begins one; gives the id, which nobody guesses.
    func add(_ record: UploadRecord) async throws -> String {
        var count = 0
        for (id, upload) in uploads() {
            if await ContinuousClock.now - upload.lastUse > Self.lifetime {
                await remove(id)
            } else if upload.project == record.project, await !upload.isWhole {
                count += 1
            }
        }
        guard count < Self.limit else {
            throw HubError(.resourceExhausted, "The project has \(Self.limit) uploads going on; finish or cancel some.")
        }
        let id = Hexadecimal.text(RandomBytes.make(24))
        let upload = ResumableUpload(id: id, record: record, folder: folder, limit: maximumSize)
        try await upload.store()
        known?[id] = upload
        return id
    }

    func upload(_ id: String) -> ResumableUpload? { uploads()[id] }

    /// Forgets one and removes its bytes, but for what was kept.
    func remove(_ id: String) async { await known?.removeValue(forKey: id)?.remove() }

    private func uploads() -> [String: ResumableUpload] {
        if let known { return known }
        var uploads: [String: ResumableUpload] = [:]
        for name in (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
        where name.hasSuffix(UploadRecord.suffix) {
            guard let data = try? Data(contentsOf: folder.appending(path: name)),
                let record = try? JSONDecoder().decode(UploadRecord.self, from: data)
            else { continue }
            let id = String(name.dropLast(UploadRecord.suffix.count))
            uploads[id] = ResumableUpload(id: id, record: record, folder: folder, limit: maximumSize)
        }
        known = uploads
        return uploads
    }
}
