import Foundation
import ModelHubProtocol
import Synchronization

/// A line of a process that reads photos, `sightline-hub read-photos`. The bytes of a photo follow its line.
package struct PhotoLine: Codable, Sendable {
    /// The number and the size of all photos, before the first one.
    package struct Summary: Codable, Sendable {
        package var count, byteCount: Int

        /// Creates a summary.
        package init(count: Int, byteCount: Int) { (self.count, self.byteCount) = (count, byteCount) }
    }

    /// A photo that can be read.
    package struct Photo: Codable, Sendable {
        package var path: String
        package var label: String?
        package var width, height, byteCount: Int
        /// The drawn boxes; nil if the archive has none of any photo.
        package var boxes: [PhotoBox]?
        /// A small JPEG.
        package var thumbnail: Data

        /// Creates a photo.
        package init(path: String, label: String?, width: Int, height: Int, byteCount: Int, thumbnail: Data) {
            (self.path, self.label, self.thumbnail) = (path, label, thumbnail)
            (self.width, self.height, self.byteCount) = (width, height, byteCount)
        }
    }

    package var summary: Summary?
    package var photo: Photo?
    package var skipped: AddedPhotos.Skipped?
    /// The number of skipped files, in the last line.
    package var skippedCount: Int?
    /// The number of boxes that are left out, in the last line.
    package var leftOutBoxCount: Int?
    /// The reason why nothing can be read.
    package var error: String?

    /// Creates an empty line.
    package init() {}

    /// The longer side of a thumbnail in pixels. Pages show it at half of this size, for dense screens.
    package static let thumbnailSide = 320
    /// The largest thumbnail in bytes.
    package static let maximumThumbnail = 64 << 10
    /// The largest photo in bytes.
    package static let maximumBytes = 20_000_000
    /// The largest photo in pixels.
    package static let maximumPixels = 100_000_000
    /// The largest size of all photos of an archive in bytes.
    package static let maximumTotalBytes = 4 << 30
    /// The largest number of boxes in a photo.
    package static let maximumBoxes = 500
    /// The largest number of boxes that are proposed in a photo.
    package static let maximumProposals = 20
}

/// The photos that a process reads from an upload: each becomes a file in the hub's folder of uploads, whose bytes count toward the quota.
/// The files are removed with this object, unless they were stored.
final class ReceivedPhotos: Sendable {
    /// A photo in a file.
    struct Received: Sendable {
        var photo: PhotoLine.Photo
        /// The place of its small picture in the file of all of them.
        var thumbnail: Range<Int>
        var hash: BlobHash
        var byteCount: Int
        var url: URL
        var entry: UploadLedger.Entry?
    }

    private struct State {
        var reader = FramedReader()
        /// The small pictures, which would take too much memory.
        var thumbnails: StagedFile?
        var current: (photo: PhotoLine.Photo, thumbnail: Range<Int>, file: StagedFile)?
        var files: [StagedFile] = []
        var photos: [Received] = []
        var skipped: [AddedPhotos.Skipped] = []
        var skippedCount: Int?
        var leftOutBoxCount = 0
        var failure: HubError?
    }

    private let state = Mutex(State())
    private let room: Int
    private let hub: Hub
    private let project: Project
    private let name: String

    /// - Parameters:
    ///   - room: The number of photos for which the data set has room.
    ///   - name: The name of the data set.
    init(_ hub: Hub, of project: Project, room: Int, name: String) {
        (self.hub, self.project, self.room, self.name) = (hub, project, room, name)
    }

    /// The received photos, by their first occurrence.
    var photos: [Received] { state.withLock { $0.photos } }
    /// The reason why receiving ended.
    var failure: HubError? { state.withLock { $0.failure } }
    /// The files that are not photos; nil if the process did not end as it should.
    var skipped: (count: Int, first: [AddedPhotos.Skipped])? {
        state.withLock { state in state.skippedCount.map { ($0, state.skipped) } }
    }
    /// The number of boxes that cannot be used.
    var leftOutBoxCount: Int { state.withLock { $0.leftOutBoxCount } }

    /// Receives the next bytes; false if they cannot be used.
    func take(_ piece: Data) -> Bool {
        state.withLock { state in
            do {
                var reader = state.reader
                try reader.take(piece) { line in
                    try self.begin(line, &state)
                } bytes: { bytes in
                    try bytes.withUnsafeBytes { try state.current?.file.append($0) }
                } end: {
                    try Self.end(&state)
                }
                state.reader = reader
                return true
            } catch {
                state.failure =
                    error as? HubError
                    ?? HubError(.invalidArgument, "The photos cannot be read; pack them again as a zip archive.")
                return false
            }
        }
    }

    /// Takes a line; returns the number of bytes that follow it.
    private func begin(_ data: Data, _ state: inout State) throws -> Int {
        let line = try JSONDecoder().decode(PhotoLine.self, from: data)
        if let reason = line.error {
            throw HubError(.invalidArgument, String(reason.prefix(ModelValidation.maximumMessage)))
        }
        if let summary = line.summary {
            guard summary.count <= room else { throw HubError.tooManyPhotos(name) }
            try hub.ledger.check(summary.byteCount, of: project.id)
        }
        if let skipped = line.skipped, state.skipped.count < 100 {
            state.skipped.append(
                .init(path: String(skipped.path.prefix(200)), reason: String(skipped.reason.prefix(300)))
            )
        }
        if let count = line.skippedCount { state.skippedCount = count }
        if let count = line.leftOutBoxCount { state.leftOutBoxCount = max(count, 0) }
        guard let photo = line.photo else { return 0 }
        guard (1...PhotoLine.maximumBytes).contains(photo.byteCount), photo.path.utf8.count <= 1000,
            (1...PhotoLine.maximumPixels).contains(photo.width), (1...PhotoLine.maximumPixels).contains(photo.height),
            photo.thumbnail.count <= PhotoLine.maximumThumbnail, photo.thumbnail.starts(with: [0xFF, 0xD8, 0xFF]),
            state.photos.count < room
        else { throw HubError(.invalidArgument, "The photos cannot be read; pack them again as a zip archive.") }
        var checked = photo
        checked.label = try DataSet.label(photo.label)
        checked.boxes = try photo.boxes.map {
            try DataSet.boxes($0, inPhotoOf: (photo.width, photo.height)).boxes
        }
        checked.thumbnail = Data()
        if state.thumbnails == nil { state.thumbnails = try StagedFile(in: hub.uploads, limit: .max) }
        let start = state.thumbnails?.byteCount ?? 0
        try photo.thumbnail.withUnsafeBytes { try state.thumbnails?.append($0) }
        state.current = (
            checked, start..<start + photo.thumbnail.count, try hub.stage(for: project, limit: PhotoLine.maximumBytes)
        )
        return photo.byteCount
    }

    private static func end(_ state: inout State) throws {
        guard let (photo, thumbnail, file) = state.current else { return }
        state.current = nil
        let summary = try file.finish()
        state.files.append(file)
        state.photos.append(
            Received(
                photo: photo,
                thumbnail: thumbnail,
                hash: summary.hash,
                byteCount: summary.byteCount,
                url: file.url,
                entry: file.entry
            )
        )
    }

    /// The records of received photos, with their small pictures.
    func newPhotos(_ photos: some Collection<Received>) async throws -> [NewPhoto] {
        let (photos, url) = (Array(photos), state.withLock { $0.thumbnails?.url })
        guard let url else { return [] }
        return try await DiskThreads.run {
            let file = try LocalFile(url)
            return try photos.map { received in
                NewPhoto(
                    hash: received.hash,
                    byteCount: received.byteCount,
                    name: received.photo.path,
                    label: received.photo.label,
                    boxes: received.photo.boxes,
                    width: received.photo.width,
                    height: received.photo.height,
                    thumbnail: try file.data(in: received.thumbnail)
                )
            }
        }
    }
}

/// Reads lines of JSON, each of which announces a number of bytes that follow it.
struct FramedReader {
    private var line = Data()
    private var missing = 0

    private struct TooLong: Error {}

    /// The longest line. A report on a thousand labels has some million bytes.
    private static let maximumLine = 128 << 20

    /// Receives the next piece.
    ///
    /// - Parameters:
    ///   - onLine: Takes a line, and returns the number of bytes that follow it.
    ///   - bytes: Takes the next of these bytes.
    ///   - end: Called after the last of them.
    mutating func take(
        _ piece: Data,
        line onLine: (Data) throws -> Int,
        bytes: (Data) throws -> Void,
        end: () throws -> Void
    ) throws {
        var rest = piece[...]
        while !rest.isEmpty {
            if missing > 0 {
                let part = rest.prefix(missing)
                try bytes(Data(part))
                missing -= part.count
                rest = rest.dropFirst(part.count)
                if missing == 0 { try end() }
            } else if let place = rest.firstIndex(of: 10) {
                missing = max(try onLine(line + rest[..<place]), 0)
                line = Data()
                rest = rest[(place + 1)...]
            } else {
                line += rest
                guard line.count <= Self.maximumLine else { throw TooLong() }
                return
            }
        }
    }
}
