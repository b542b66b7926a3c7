import Foundation
import HubTestSupport
import NIOCore
import SightlineTestSupport
import Testing

@testable import ModelHubServer

/// The bytes of uploads in several requests.
extension FileStoreTests {
    /// Appends bytes to an upload, as a request does.
    private func append(_ data: Data, to upload: String, _ pieces: any UploadPieceStore) async throws {
        let piece = try await pieces.stage(upload, limit: 1 << 20, entry: nil)
        try piece.file.append(ByteBuffer(bytes: data))
        try piece.file.synchronize()
        try await pieces.keep(fileAt: piece.file.url, from: piece.start, of: upload)
    }

    @Test(arguments: FileBackend.available)
    func anUploadIsTheSumOfItsPieces(_ backend: FileBackend) async throws {
        try await backend.with { files, _ in
            let pieces = files.pieces
            #expect(try await pieces.byteCount(of: "a") == 0)
            var whole = Data()
            // Twelve pieces, whose numbers have different lengths.
            for number in 0..<12 {
                let data = Data(repeating: UInt8(number), count: 1 + number * 1000)
                try await append(data, to: "a", pieces)
                whole += data
                #expect(try await pieces.byteCount(of: "a") == whole.count)
            }
            try await append(Data("other".utf8), to: "b", pieces)
            #expect(try await pieces.uploads() == ["a", "b"])
            let file = try await pieces.whole("a")
            #expect(try file.finish().hash.text == sha256(whole))
            #expect(try Data(contentsOf: file.url) == whole)
            try await pieces.remove("a")
            #expect(try await pieces.byteCount(of: "a") == 0)
            #expect(try await pieces.uploads() == ["b"])
            try await pieces.remove("a")
        }
    }

    /// Two hubs received the same upload, and the shorter piece came last.
    @Test(arguments: StorageServer.available)
    func bytesAfterAGapDoNotCount(_ server: StorageServer) async throws {
        try await withTemporaryFolder { folder in
            let client = try await server.client()
            let pieces = S3PieceStore(client, folder: folder)
            func keep(_ count: Int, from start: Int) async throws {
                let data = Data((start..<start + count).map { UInt8(truncatingIfNeeded: $0) })
                try await pieces.keep(fileAt: try makeFile(data, in: folder), from: start, of: "a")
            }
            try await keep(800, from: 0)
            try await keep(400, from: 800)
            try await keep(500, from: 0)
            #expect(try await pieces.byteCount(of: "a") == 500)
            try await keep(300, from: 500)
            #expect(try await pieces.byteCount(of: "a") == 1200)
            let whole = try await pieces.whole("a")
            _ = try whole.finish()
            #expect(try Data(contentsOf: whole.url) == Data((0..<1200).map { UInt8(truncatingIfNeeded: $0) }))
        }
    }
}
