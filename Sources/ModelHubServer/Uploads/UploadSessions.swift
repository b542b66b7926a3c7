import Foundation

/// The uploads in several requests that are going on, and those that are whole but could not be kept yet.
///
/// Of an upload that was kept, the object's record knows: a client that lost the last answer gets it again from there.
actor UploadSessions {
    private let hub: Hub
    private var known: [String: ResumableUpload]

    /// How many a project may have at once.
    private static let limit = 64
    /// How long one may stand still, as with Cloud Storage.
    static let lifetime = Duration.seconds(24 * 3600)

    /// Those of a hub, with what is left of them on the disk.
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

    /// Begins one; gives the id, which nobody guesses.
    func add(_ record: UploadRecord) async throws -> String {
        guard known.values.count(where: { $0.project == record.project }) < Self.limit else {
            throw HubError(.resourceExhausted, "The project has \(Self.limit) uploads going on; finish or cancel some.")
        }
        let id = Hexadecimal.text(RandomBytes.make(24))
        let upload = ResumableUpload(id: id, record: record, hub: hub)
        // Known before anything waits, so that no others come in between.
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

    /// Forgets one and removes its bytes, but for what was kept.
    func remove(_ id: String) async { await known.removeValue(forKey: id)?.remove() }

    /// Removes those that stood still too long.
    func removeOld() async {
        for (id, upload) in known where await ContinuousClock.now - upload.lastUse > Self.lifetime { await remove(id) }
    }
}
