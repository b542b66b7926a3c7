import Foundation
import NIOCore

/// A store with an object for each piece: `uploads/`, the upload's id, and the place of the piece's first byte.
///
/// Two hubs may receive the same upload at the same time, and one piece may replace another that is longer. The pieces
/// that count are those that follow each other without a gap. A client whose bytes no longer count learns how many do,
/// and sends the others again.
struct S3PieceStore: UploadPieceStore {
    private let client: S3Client
    /// A folder on this machine, for the files that pieces are made of.
    private let folder: URL

    init(_ client: S3Client, folder: URL) {
        self.client = client
        self.folder = folder
    }

    private static let prefix = "uploads/"
    /// The number of pieces of an upload. A file of 512 MiB in pieces of 256 KiB, as Google's SDKs send, has 2048.
    private static let maximumPieces = 10_000

    func byteCount(of upload: String) async throws -> Int { try await pieces(of: upload).last?.end ?? 0 }

    func stage(_ upload: String, limit: Int, entry: UploadLedger.Entry?) async throws -> sending UploadPiece {
        let pieces = try await pieces(of: upload)
        guard pieces.count < Self.maximumPieces else {
            throw HubError(
                .resourceExhausted,
                "The upload has \(Self.maximumPieces) pieces, the limit of this hub; start it again with larger pieces."
            )
        }
        let start = pieces.last?.end ?? 0
        return UploadPiece(
            start: start,
            file: try StagedFile(in: folder, limit: limit, after: start, entry: entry)
        )
    }

    func keep(fileAt url: URL, from start: Int, of upload: String) async throws {
        let file = try await DiskThreads.run { try LocalFile(url) }
        guard file.byteCount > 0 else { return }
        let digits = String(start)
        // Keys are listed in the order of their characters.
        let name = String(repeating: "0", count: max(16 - digits.count, 0)) + digits
        try await client.put(file, as: "\(Self.prefix)\(upload)/\(name)")
    }

    func whole(_ upload: String) async throws -> sending StagedFile {
        let whole = try StagedFile(in: folder, limit: .max)
        for piece in try await pieces(of: upload) {
            let file = S3Reader.file(piece.key, byteCount: piece.end - piece.start, client)
            for try await bytes in file.bytes { try whole.append(bytes) }
        }
        return whole
    }

    func remove(_ upload: String) async throws { try await client.deleteAll(below: "\(Self.prefix)\(upload)/") }

    func uploads() async throws -> Set<String> { Set(try await client.folders(in: Self.prefix)) }

    private struct Piece {
        var key: String
        var start: Int
        var end: Int
    }

    /// The pieces from the first byte on, up to the first gap.
    private func pieces(of upload: String) async throws -> [Piece] {
        let prefix = "\(Self.prefix)\(upload)/"
        let stored = try await client.objects(below: prefix)
            .compactMap { object in
                Int(object.key.dropFirst(prefix.count)).map {
                    Piece(key: object.key, start: $0, end: $0 + object.byteCount)
                }
            }
            .sorted { $0.start < $1.start }
        var chain: [Piece] = []
        for piece in stored where piece.start == chain.last?.end ?? 0 && piece.end > piece.start { chain.append(piece) }
        return chain
    }
}
