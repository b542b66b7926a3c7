import Foundation
import NIOCore

/// What is kept of an upload in several requests beside its bytes, so that it goes on after a restart of the hub.
struct UploadRecord: Sendable, Codable {
    var project: String
    var bucket: String
    var name: String
    var contentType: String
    /// What was received, once it is whole; then it only remains to be kept under its name.
    var summary: StagedFile.Summary?

    /// How its file's name ends; that of the bytes ends with `.part`.
    static let suffix = ".upload"
}

/// An upload that comes in several requests.
///
/// Its bytes and its record are files of the hub's folder of uploads. The record is there before the client learns of the upload;
/// bytes are on the disk before the client learns that they came; and the record says that the upload is whole before the file
/// moves to its place. Thus it can go on from wherever the hub was killed.
actor ResumableUpload {
    nonisolated let project: String
    private let part: URL
    private let recordFile: URL
    private let limit: Int
    private var record: UploadRecord
    private var staged: StagedFile?
    private var result: StorageObject?
    /// A piece is being received.
    private var isBusy = false
    private(set) var lastUse = ContinuousClock.now

    /// - Parameters:
    ///   - folder: the folder of uploads.
    ///   - limit: how many bytes the file may have.
    init(id: String, record: UploadRecord, folder: URL, limit: Int) {
        project = record.project
        part = folder.appending(path: "\(id).part")
        recordFile = folder.appending(path: id + UploadRecord.suffix)
        self.record = record
        self.limit = limit
    }

    /// Whether all of it came.
    var isWhole: Bool { record.summary != nil }

    /// Writes the record; when this returns it will survive a power failure.
    func store() throws(HubError) {
        guard let data = try? JSONEncoder().encode(record) else {
            throw HubError(.internal, "The upload cannot be recorded; begin it anew.")
        }
        try SystemCalls.replace(recordFile, with: data)
    }

    /// Removes what is on the disk, but for what was kept.
    func remove() {
        staged = nil
        unlink(part.path)
        unlink(recordFile.path)
    }

    /// How much is here, or the object if all of it is.
    enum Progress: Sendable {
        case incomplete(byteCount: Int)
        case complete(StorageObject)
    }

    /// Takes a piece. What is here already is skipped; what does not join up with it is not taken.
    ///
    /// - Parameters:
    ///   - start: where the piece begins in the file.
    ///   - total: how long the file will be, once the client knows.
    func receive(
        _ request: APIRequest,
        from start: Int?,
        total: Int?,
        hub: Hub,
        by caller: Caller
    ) async throws -> Progress {
        lastUse = .now
        if let result { return .complete(result) }
        guard !isBusy else {
            throw HubError(.aborted, "Another request is sending this upload; wait until it ends.")
        }
        isBusy = true
        defer { isBusy = false }
        if let summary = record.summary { return .complete(try await keep(summary, hub, caller)) }
        if staged == nil { staged = try await StagedFile(continuing: part, limit: limit) }
        guard let staged else { return .incomplete(byteCount: 0) }
        if let start, start <= staged.byteCount {
            let earlier = staged.byteCount
            var excess = earlier - start
            var pace = UploadPace()
            for try await var piece in request.body {
                try pace.check(adding: piece.readableBytes)
                let skipped = min(excess, piece.readableBytes)
                piece.moveReaderIndex(forwardBy: skipped)
                excess -= skipped
                try staged.append(piece)
                lastUse = .now
            }
            if staged.byteCount > earlier { try staged.synchronize() }
        }
        guard let total, staged.byteCount == total else {
            if let total, staged.byteCount > total {
                throw HubError(
                    .invalidArgument,
                    "The upload has more bytes than the \(total) that were announced; begin anew."
                )
            }
            return .incomplete(byteCount: staged.byteCount)
        }
        let summary = try staged.finish()
        self.staged = nil
        record.summary = summary
        try store()
        return .complete(try await keep(summary, hub, caller))
    }

    /// Keeps what came under its name, or finds that this was done before the hub was killed.
    private func keep(_ summary: StagedFile.Summary, _ hub: Hub, _ caller: Caller) async throws -> StorageObject {
        let address = try ObjectAddress(bucket: record.bucket, name: record.name)
        if FileHash.size(part) == nil {
            let known = try await hub.metadata.object(address.name, in: address.bucket, of: project)
            if let known, known.hash == summary.hash {
                result = known
                return known
            }
            guard hub.blobs.contains(summary.hash) else {
                throw HubError(.notFound, "The upload was kept and removed meanwhile; begin it anew.")
            }
        }
        let object = try await hub.keep(
            summary,
            at: part,
            as: address,
            contentType: record.contentType,
            by: caller
        )
        result = object
        return object
    }
}
