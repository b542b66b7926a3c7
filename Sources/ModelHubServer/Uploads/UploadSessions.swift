import Foundation
import NIOCore

/// An upload that comes in several requests.
actor ResumableUpload {
    nonisolated let address: ObjectAddress
    nonisolated let caller: Caller
    private let contentType: String
    private var staged: StagedFile?
    private var result: StorageObject?
    /// A piece is being received.
    private var isBusy = false
    private(set) var lastUse = ContinuousClock.now

    init(address: ObjectAddress, caller: Caller, contentType: String, staged: sending StagedFile) {
        self.address = address
        self.caller = caller
        self.contentType = contentType
        self.staged = staged
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
        hub: Hub
    ) async throws -> Progress {
        lastUse = .now
        if let result { return .complete(result) }
        guard let staged, !isBusy else {
            throw HubError(.aborted, "Another request is sending this upload; wait until it ends.")
        }
        isBusy = true
        defer { isBusy = false }
        if let start, start <= staged.byteCount {
            var excess = staged.byteCount - start
            var pace = UploadPace()
            for try await var piece in request.body {
                try pace.check(adding: piece.readableBytes)
                let skipped = min(excess, piece.readableBytes)
                piece.moveReaderIndex(forwardBy: skipped)
                excess -= skipped
                try staged.append(piece)
                lastUse = .now
            }
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
        let object = try await hub.keep(
            try staged.finish(),
            at: staged.url,
            as: address,
            contentType: contentType,
            by: caller
        )
        (result, self.staged) = (object, nil)
        return .complete(object)
    }
}

/// Refuses bodies that come so slowly that they only keep a connection busy.
struct UploadPace {
    private let start = ContinuousClock.now
    private var byteCount = 0
    /// Bytes in a second that are expected after a minute.
    private static let minimumRate = 2048.0

    mutating func check(adding count: Int) throws(HubError) {
        byteCount += count
        let seconds = (ContinuousClock.now - start) / .seconds(1)
        guard seconds < 60 || Double(byteCount) / seconds > Self.minimumRate else { throw .tooSlow }
    }
}

/// The uploads that are going on.
actor UploadSessions {
    private var uploads: [String: ResumableUpload] = [:]

    /// How many a project may have at once.
    private static let limit = 64
    /// How long one may stand still, as with Cloud Storage.
    private static let lifetime = Duration.seconds(24 * 3600)

    func add(_ upload: ResumableUpload) async throws -> String {
        await removeIdle()
        guard uploads.values.count(where: { $0.caller.project.id == upload.caller.project.id }) < Self.limit else {
            throw HubError(.resourceExhausted, "The project has \(Self.limit) uploads going on; finish or cancel some.")
        }
        let id = Hexadecimal.text(RandomBytes.make(24))
        uploads[id] = upload
        return id
    }

    func upload(_ id: String) -> ResumableUpload? { uploads[id] }

    func remove(_ id: String) { uploads[id] = nil }

    private func removeIdle() async {
        for (id, upload) in uploads where await ContinuousClock.now - upload.lastUse > Self.lifetime {
            uploads[id] = nil
        }
    }
}
