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
/// bytes are on the disk before the client learns that they came; the record says that the upload is whole before the file
/// moves to its place; and the object's record has the upload's id before this record goes away. Thus it can go on from wherever
/// the hub was killed.
actor ResumableUpload {
    nonisolated let project: String
    private let id: String
    private let hub: Hub
    private let part: URL
    private let recordFile: URL
    private let entry: UploadLedger.Entry
    private var record: UploadRecord
    private var staged: StagedFile?
    /// A piece is being received.
    private var isBusy = false
    private var isRemoved = false
    private(set) var lastUse = ContinuousClock.now

    /// An upload of which the disk may have a part already.
    init(id: String, record: UploadRecord, hub: Hub) {
        self.id = id
        self.record = record
        self.hub = hub
        project = record.project
        part = hub.uploads.appending(path: "\(id).part")
        recordFile = hub.uploads.appending(path: id + UploadRecord.suffix)
        entry = hub.ledger.entry(of: record.project)
        entry.set(FileHash.size(part) ?? 0)
    }

    /// Writes the record; when this returns it will survive a power failure.
    func store() throws(HubError) {
        guard let data = try? JSONEncoder().encode(record) else {
            throw HubError(.internal, "The upload cannot be recorded; begin it anew.")
        }
        try SystemCalls.replace(recordFile, with: data)
    }

    /// Removes what is on the disk, but for what was kept.
    func remove() {
        isRemoved = true
        staged = nil
        unlink(part.path)
        unlink(recordFile.path)
        entry.set(0)
    }

    /// How far it is.
    enum Progress: Sendable {
        /// Some of it is here.
        case incomplete(byteCount: Int)
        /// All of it is kept.
        case complete(StorageObject)
        /// There is no room for it, or it is longer than was announced: it will never be kept.
        case refused(HubError)
    }

    /// Takes a piece. What is here already is skipped; what does not join up with it is not taken.
    ///
    /// - Parameters:
    ///   - start: where the piece begins in the file.
    ///   - total: how long the file will be, once the client knows.
    func receive(_ request: APIRequest, from start: Int?, total: Int?, by caller: Caller) async throws -> Progress {
        lastUse = .now
        guard !isBusy else {
            throw HubError(.aborted, "Another request is sending this upload; wait until it ends.")
        }
        isBusy = true
        defer { isBusy = false }
        if record.summary == nil {
            try await hub.noteUsage(of: project)
            let staged = try await open()
            do throws(HubError) {
                if let total { try hub.ledger.check(max(total - staged.byteCount, 0), of: project) }
            } catch {
                return .refused(error)
            }
            if let start, start <= staged.byteCount {
                let refusal = try await receive(request.body, skipping: staged.byteCount - start, into: staged)
                if let refusal { return .refused(refusal) }
            }
            try staged.synchronize()
            guard let total, staged.byteCount >= total else { return .incomplete(byteCount: staged.byteCount) }
            guard staged.byteCount == total else {
                return .refused(
                    HubError(
                        .invalidArgument,
                        "The upload has more bytes than the \(total) that were announced; begin anew."
                    )
                )
            }
            record.summary = try staged.finish()
            self.staged = nil
            try store()
        }
        guard let summary = record.summary else { return .incomplete(byteCount: 0) }
        do {
            return .complete(try await keep(summary, by: caller))
        } catch let error as HubError where error.code == .resourceExhausted {
            return .refused(error)
        }
    }

    private func open() async throws -> StagedFile {
        if let staged { return staged }
        let opened = try await StagedFile(continuing: part, limit: hub.options.maximumModelSize, entry: entry)
        staged = opened
        return opened
    }

    /// Appends a body; gives the reason if there is no room for it.
    private func receive(
        _ body: some AsyncSequence<ByteBuffer, any Error>,
        skipping count: Int,
        into staged: StagedFile
    ) async throws -> HubError? {
        var excess = count
        var pace = UploadPace()
        for try await var piece in body {
            try pace.check(adding: piece.readableBytes)
            let skipped = min(excess, piece.readableBytes)
            piece.moveReaderIndex(forwardBy: skipped)
            excess -= skipped
            do throws(HubError) {
                try staged.append(piece)
            } catch {
                guard error.code == .resourceExhausted else { throw error }
                return error
            }
            guard !isRemoved else { throw HubError(.aborted, "The upload was cancelled meanwhile; begin it anew.") }
            lastUse = .now
        }
        return nil
    }

    /// Keeps what came under its name, or finds that this was done before the hub was killed.
    private func keep(_ summary: StagedFile.Summary, by caller: Caller) async throws -> StorageObject {
        if let known = try await hub.metadata.object(ofUpload: id, of: project) { return known }
        guard FileHash.size(part) != nil || hub.blobs.contains(summary.hash) else {
            throw HubError(.notFound, "The upload was kept and removed meanwhile; begin it anew.")
        }
        return try await hub.keep(
            summary,
            at: part,
            entry: entry,
            upload: id,
            as: try ObjectAddress(bucket: record.bucket, name: record.name),
            contentType: record.contentType,
            by: caller
        )
    }
}
