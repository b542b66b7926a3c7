import Foundation
import HTTPServing
import NIOCore

/// An upload in several requests, as this process sees it.
///
/// Its record is in the hub's records and its bytes are in a store, so that it may continue at another hub. The record
/// exists before the client learns of the upload. Bytes are stored before the client learns of their arrival. The record
/// states that the upload is complete before the file moves into place, and ends with the transaction that adds the
/// object, which knows the upload's id. The upload can therefore continue after the hub is killed at any moment.
actor ResumableUpload {
    nonisolated let project: String
    private let id: String
    private let hub: Hub
    private let entry: UploadLedger.Entry
    /// The file for the next bytes, if this process may continue to write to it.
    private var piece: UploadPiece?
    /// Whether a request is sending bytes through this process.
    private var isBusy = false
    private var isRemoved = false
    private var lastUse = ContinuousClock.now

    init(id: String, project: String, hub: Hub) {
        self.id = id
        self.project = project
        self.hub = hub
        entry = hub.ledger.entry(of: project)
    }

    /// Whether no request has sent bytes for a time.
    func isInactive(for duration: Duration) -> Bool { !isBusy && ContinuousClock.now - lastUse > duration }

    /// Removes the upload's bytes, except for a stored object.
    func remove() async throws {
        isRemoved = true
        piece = nil
        entry.clear()
        try await hub.pieces.remove(id)
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
    ///   - record: The record of the upload.
    ///   - start: The offset of the piece in the file.
    ///   - total: The length of the file, if the client knows it.
    func receive(
        _ request: APIRequest,
        of record: UploadRecord,
        from start: Int?,
        total: Int?,
        by caller: Caller
    ) async throws -> Progress {
        lastUse = .now
        guard !isBusy else {
            throw HubError(.aborted, "Another request is sending this upload; wait until it ends.")
        }
        isBusy = true
        defer { isBusy = false }
        if let summary = record.summary { return try await keep(record, summary, by: caller) }
        try await hub.noteUsage(of: project)
        let piece = try await stage()
        let known = piece.end
        do throws(HubError) {
            if let total { try hub.ledger.check(max(total - known, 0), of: project) }
        } catch {
            return .refused(error)
        }
        if let start, start <= known,
            let refusal = try await receive(request.body, skipping: known - start, into: piece)
        {
            return .refused(refusal)
        }
        guard let total, piece.end >= total else { return .incomplete(byteCount: piece.end) }
        guard piece.end == total else {
            return .refused(
                HubError(.invalidArgument, "The upload has more than the announced \(total) bytes; start it again.")
            )
        }
        return try await keep(record, nil, by: caller)
    }

    /// The file for the next bytes. A file that another process has continued is opened again.
    private func stage() async throws -> UploadPiece {
        if let piece, try await hub.pieces.byteCount(of: id) == piece.end { return piece }
        piece = nil
        let staged = try await hub.pieces.stage(id, limit: hub.options.maximumModelSize, entry: entry)
        piece = staged
        return staged
    }

    /// Appends a body and stores it, also if the connection ends early; returns the reason if there is no room for it.
    private func receive(
        _ body: some AsyncSequence<ByteBuffer, any Error>,
        skipping count: Int,
        into piece: UploadPiece
    ) async throws -> HubError? {
        let known = piece.end
        let outcome: Result<HubError?, any Error>
        do {
            outcome = .success(try await append(body, skipping: count, to: piece.file))
        } catch {
            outcome = .failure(error)
        }
        if case .success(.some(let refusal)) = outcome { return refusal }
        try piece.file.synchronize()
        if piece.end > known {
            let (url, start, end) = (piece.file.url, piece.start, piece.end)
            // In a separate task, since the request is canceled if the client is gone.
            try await Task { try await self.store(fileAt: url, from: start, to: end) }.value
        }
        if !piece.file.isKept { self.piece = nil }
        return try outcome.get()
    }

    private func store(fileAt url: URL, from start: Int, to end: Int) async throws {
        try await hub.pieces.keep(fileAt: url, from: start, of: id)
        guard try await hub.records.noteProgress(of: id, in: project, byteCount: end, summary: nil, at: hub.now())
        else {
            try await remove()
            throw Self.canceled
        }
        entry.release(noting: try await hub.usageIfLimited(of: project))
    }

    private func append(
        _ body: some AsyncSequence<ByteBuffer, any Error>,
        skipping count: Int,
        to file: StagedFile
    ) async throws -> HubError? {
        var excess = count
        var pace = UploadPace()
        for try await var piece in body {
            try pace.check(adding: piece.readableBytes)
            let skipped = min(excess, piece.readableBytes)
            piece.moveReaderIndex(forwardBy: skipped)
            excess -= skipped
            do throws(HubError) {
                try file.append(piece)
            } catch {
                guard error.code == .resourceExhausted else { throw error }
                return error
            }
            guard !isRemoved else { throw Self.canceled }
            lastUse = .now
        }
        return nil
    }

    private static let canceled = HubError(.aborted, "The upload was canceled meanwhile; start it again.")

    /// Stores all bytes under their name, unless this was done before the hub was killed.
    private func keep(_ record: UploadRecord, _ known: FileSummary?, by caller: Caller) async throws -> Progress {
        if let object = try await hub.records.object(ofUpload: id, of: project) { return .complete(object) }
        let address = try ObjectAddress(bucket: record.bucket, name: record.name)
        let (summary, file) = try await whole(known)
        defer { withExtendedLifetime(file) {} }
        if known == nil {
            let isCurrent = try await hub.records.noteProgress(
                of: id,
                in: project,
                byteCount: summary.byteCount,
                summary: summary,
                at: hub.now()
            )
            guard isCurrent else { throw Self.canceled }
        }
        do {
            return .complete(
                try await hub.keep(
                    summary,
                    at: file.url,
                    entry: entry,
                    upload: id,
                    as: address,
                    contentType: record.contentType,
                    by: caller
                )
            )
        } catch let error as HubError where error.code == .resourceExhausted {
            return .refused(error)
        }
    }

    /// The whole file and its description.
    ///
    /// - Parameter known: The description, if an earlier request noted it. The file then may be in its place already.
    private func whole(_ known: FileSummary?) async throws -> (FileSummary, StagedFile) {
        let file: StagedFile
        if let piece, piece.start == 0 { file = piece.file } else { file = try await hub.pieces.whole(id) }
        piece = nil
        let summary = try file.finish()
        guard let known, known != summary else { return (summary, file) }
        // Nothing is left of the bytes after the file moved into its place.
        unlink(file.url.path)
        return (known, file)
    }
}
