import Foundation

/// The current resumable uploads, including complete uploads that could not be stored yet.
///
/// The object's record contains the id of a stored upload: a client that lost the last response gets it again from
/// there.
actor UploadSessions {
    private let hub: Hub
    private var known: [String: ResumableUpload]

    /// The maximum number of uploads per project.
    private static let limit = 64
    /// The maximum inactivity of an upload, as in Cloud Storage.
    static let lifetime = Duration.seconds(24 * 3600)

    /// Creates the uploads of a hub from the files on disk.
    init(_ hub: Hub) {
        self.hub = hub
        known = [:]
        for name in (try? FileManager.default.contentsOfDirectory(atPath: hub.uploads.path)) ?? []
        where name.hasSuffix(UploadRecord.suffix) {
            guard let data = try? Data(contentsOf: hub.uploads.appending(path: name)),
                let record = try? JSONDecoder().decode(UploadRecord.self, from: data)
            else { continue }
            let id = String(name.dropLast(UploadRecord.suffix.count))
            known[id] = ResumableUpload(id: id, record: record, hub: hub)
        }
    }

    /// Starts an upload; returns its id, which cannot be guessed.
    func add(_ record: UploadRecord) async throws -> String {
        guard known.values.count(where: { $0.project == record.project }) < Self.limit else {
            throw HubError(
                .resourceExhausted,
                "The project has \(Self.limit) unfinished uploads; finish or cancel some."
            )
        }
        let id = RandomBytes.make(24).hexadecimalText
        let upload = ResumableUpload(id: id, record: record, hub: hub)
        // Registered before the first suspension, so that no other uploads are added meanwhile.
        known[id] = upload
        do {
            try await upload.store()
        } catch {
            await remove(id)
            throw error
        }
        return id
    }

    func upload(_ id: String) -> ResumableUpload? { known[id] }

    /// Forgets an upload and removes its bytes, except for a stored object.
    func remove(_ id: String) async { await known.removeValue(forKey: id)?.remove() }

    /// Removes inactive uploads.
    func removeOld() async {
        for (id, upload) in known where await ContinuousClock.now - upload.lastUse > Self.lifetime { await remove(id) }
    }
}
