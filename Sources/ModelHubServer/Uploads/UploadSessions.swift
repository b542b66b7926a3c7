import Foundation

/// The uploads in several requests that this process is receiving.
///
/// Records show which uploads exist, also those that continue at other hubs. The object's record contains the id of a
/// stored upload: a client that lost the last response gets it again from there.
actor UploadSessions {
    private let hub: Hub
    private var open: [String: ResumableUpload] = [:]

    /// The maximum number of uploads per project.
    private static let limit = 64
    /// The maximum inactivity of an upload, as in Cloud Storage.
    static let lifetime = Duration.seconds(24 * 3600)
    /// The time for which the file of an inactive upload stays open.
    private static let openLifetime = Duration.seconds(600)

    init(_ hub: Hub) { self.hub = hub }

    /// Starts an upload; returns its id, which cannot be guessed.
    func add(to address: ObjectAddress, contentType: String, of project: String) async throws -> String {
        let record = UploadRecord(
            id: RandomBytes.make(24).hexadecimalText,
            project: project,
            bucket: address.bucket,
            name: address.name,
            contentType: contentType,
            time: hub.now()
        )
        try await hub.records.insert(record, limit: Self.limit)
        return record.id
    }

    /// An upload of a project and its record; nil if it has ended.
    func upload(_ id: String, of project: String) async throws -> (upload: ResumableUpload, record: UploadRecord)? {
        guard let record = try await hub.records.upload(id, of: project) else { return nil }
        if let upload = open[id] { return (upload, record) }
        let upload = ResumableUpload(id: id, project: project, hub: hub)
        open[id] = upload
        return (upload, record)
    }

    /// Ends an upload and removes its bytes, except for a stored object.
    func remove(_ id: String, of project: String) async throws {
        try await hub.records.deleteUpload(id, of: project)
        try await forget(id)
    }

    /// Removes the bytes of an upload that has ended.
    func forget(_ id: String) async throws {
        if let upload = open.removeValue(forKey: id) {
            try await upload.remove()
        } else {
            try await hub.pieces.remove(id)
        }
    }

    /// Closes the files of inactive uploads, which then continue from their stores.
    func closeInactive() async {
        for (id, upload) in open where await upload.isInactive(for: Self.openLifetime) { open[id] = nil }
    }
}

extension Hub {
    /// Ends uploads without recent activity, and removes the bytes of all uploads that have ended.
    func removeAbandonedUploads() async throws {
        // Read before the records: a record is older than the bytes.
        let stored = try await pieces.uploads()
        try await records.deleteUploads(inactiveSince: now().advanced(by: .zero - UploadSessions.lifetime))
        guard !stored.isEmpty else { return }
        for id in stored.subtracting(try await records.uploadIDs()) { try await pieces.remove(id) }
    }
}
