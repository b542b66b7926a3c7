import Foundation
import ModelHubServer
import Testing

/// The bytes of files.
extension StoreConformanceTests {
    private static let content = Data((0..<300_000).map { UInt8(truncatingIfNeeded: $0 &* 31) })

    private func read(_ file: StoredFile, _ range: Range<Int>) async throws -> Data {
        var data = Data()
        for try await piece in file.bytes(in: range) { data += piece.readableBytesView }
        return data
    }

    @Test(arguments: StoreBackend.allCases)
    func aStoredFileIsReadWholeAndInParts(_ backend: StoreBackend) async throws {
        try await backend.with { stores in
            let hash = try BlobHash.test("content")
            try await stores.blobs.store(fileAt: try stores.file(Self.content), as: hash)
            let file = try await stores.blobs.open(hash)
            #expect(file.byteCount == Self.content.count)
            for range in [0..<300_000, 0..<1, 131_000..<262_200, 299_999..<300_000, 5..<5] {
                #expect(try await read(file, range) == Self.content[range])
            }
            // A range is limited to the file.
            #expect(try await read(file, 299_990..<400_000) == Self.content[299_990...])
        }
    }

    @Test(arguments: StoreBackend.allCases)
    func aStoreTakesOverTheFile(_ backend: StoreBackend) async throws {
        try await backend.with { stores in
            let hash = try BlobHash.test("content")
            for _ in 0..<2 {
                let url = try stores.file(Self.content)
                try await stores.blobs.store(fileAt: url, as: hash)
                #expect(!FileManager.default.fileExists(atPath: url.path))
            }
            let stored = StoredBlob(hash: hash, byteCount: Self.content.count)
            #expect(try await stores.blobs.contents() == [stored])
        }
    }

    @Test(arguments: StoreBackend.allCases)
    func aMissingFileIsAnErrorAndItsRemovalIsNot(_ backend: StoreBackend) async throws {
        try await backend.with { stores in
            let hash = try BlobHash.test("content")
            let error = await #expect(throws: HubError.self) { _ = try await stores.blobs.open(hash) }
            #expect(error?.code == .dataLoss)
            try await stores.blobs.remove(hash)
            #expect(try await stores.blobs.contents().isEmpty)
        }
    }

    @Test(arguments: StoreBackend.allCases)
    func aRemovedFileStaysForItsReaders(_ backend: StoreBackend) async throws {
        try await backend.with { stores in
            let hash = try BlobHash.test("content")
            try await stores.blobs.store(fileAt: try stores.file(Self.content), as: hash)
            let file = try await stores.blobs.open(hash)
            try await stores.blobs.remove(hash)
            await #expect(throws: HubError.self) { _ = try await stores.blobs.open(hash) }
            #expect(try await read(file, 0..<Self.content.count) == Self.content)
        }
    }

    @Test(arguments: StoreBackend.allCases)
    func eightWritersOfTheSameFileStoreItOnce(_ backend: StoreBackend) async throws {
        try await backend.with { stores in
            let hash = try BlobHash.test("content")
            let sizes = try await eightAtOnce { _ in
                try await stores.blobs.store(fileAt: try stores.file(Self.content), as: hash)
                return try await stores.blobs.open(hash).byteCount
            }
            #expect(sizes == Array(repeating: Self.content.count, count: 8))
            #expect(try await stores.blobs.contents().count == 1)
        }
    }
}
