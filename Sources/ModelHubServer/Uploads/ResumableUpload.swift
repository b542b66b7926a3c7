import Foundation
import NIOCore

/// The stored state of a resumable upload in addition to its bytes, so that it can continue after a restart of the hub.
struct UploadRecord: Sendable, Codable {
    var project: String
    var bucket: String
    var name: String
    var contentType: String
    /// The summary of the complete bytes, which only have to be stored under their name.
    var summary: StagedFile.Summary?

    /// The suffix of the record's file; the file with the bytes has the suffix `.part`.
    static let suffix = ".upload"
}

/// An upload in several requests.
///
/// Its bytes and its record are files in the hub's folder of uploads. The record exists before the client learns of the
/// upload. Bytes are on disk before the client learns of their arrival. The record states that the upload is complete
/// before the file moves into place, and the object's record has the upload's id before this record is removed. The
/// upload can therefore continue after the hub is killed at any moment.
actor ResumableUpload {
    nonisolated let project: String
    private let id: String
    private let hub: Hub
    private let part: URL
    private let recordFile: URL
    private let entry: UploadLedger.Entry
    private var record: UploadRecord
    private var staged: StagedFile?
    /// Whether a piece is being received.
    private var isBusy = false
    private var isRemoved = false
    private(set) var lastUse = ContinuousClock.now

    /// Creates an upload that may already have bytes on disk.
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

    /// Writes the record to disk; it then survives a power failure.
    func store() throws(HubError) {
        guard let data = try? JSONEncoder().encode(record) else {
            throw HubError(.internal, "The upload cannot be recorded; start it again.")
        }
        try SystemCalls.replace(recordFile, with: data)
    }

    /// Removes the upload's files, except for a stored object.
    func remove() {
        isRemoved = true
        staged = nil
        unlink(part.path)
        unlink(recordFile.path)
        entry.set(0)
    }

    /// The state of an upload.
    enum Progress: Sendable {
        /// A part of it has arrived.
        case incomplete(byteCount: Int)
        /// It is stored.
        case complete(StorageObject)
        /// There is no room for it, or it is longer than announced: it will never be stored.
        case refused(HubError)
    }

    /// Receives a piece. Bytes that are already present are skipped; a piece that leaves a gap is not accepted.
    ///
    /// - Parameters:
    ///   - start: The offset of the piece in the file.
    ///   - total: The length of the file, if the client knows it.
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
                        "The upload has more than the announced \(total) bytes; start it again."
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

    /// Appends a body; returns the reason if there is no room for it.
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
            guard !isRemoved else { throw HubError(.aborted, "The upload was canceled meanwhile; start it again.") }
            lastUse = .now
        }
        return nil
    }

    /// Stores the received bytes under their name, unless this was done before the hub was killed.
    private func keep(_ summary: StagedFile.Summary, by caller: Caller) async throws -> StorageObject {
        if let known = try await hub.metadata.object(ofUpload: id, of: project) { return known }
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
