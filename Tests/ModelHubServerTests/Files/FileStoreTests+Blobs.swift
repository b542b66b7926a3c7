import Foundation
import HubTestSupport
import SightlineTestSupport
import Testing

@testable import ModelHubServer

/// The bytes of models.
extension FileStoreTests {
    private static let content = Data((0..<300_000).map { UInt8(truncatingIfNeeded: $0 &* 31) })

    @Test(arguments: FileBackend.available)
    func aStoredFileIsReadWholeAndInParts(_ backend: FileBackend) async throws {
        try await backend.with { files, folder in
            let hash = try BlobHash(of: Self.content)
            try await files.blobs.store(fileAt: try makeFile(Self.content, in: folder), as: hash)
            let file = try await files.blobs.open(hash)
            #expect(file.byteCount == Self.content.count)
            for range in [0..<300_000, 0..<1, 131_000..<262_200, 299_999..<300_000, 5..<5] {
                #expect(try await bytes(of: file, range) == Self.content[range])
            }
            // A range is limited to the file.
            #expect(try await bytes(of: file, 299_990..<400_000) == Self.content[299_990...])
        }
    }

    @Test(arguments: FileBackend.available)
    func aStoreTakesOverTheFile(_ backend: FileBackend) async throws {
        try await backend.with { files, folder in
            let hash = try BlobHash(of: Self.content)
            for _ in 0..<2 {
                let url = try makeFile(Self.content, in: folder)
                try await files.blobs.store(fileAt: url, as: hash)
                #expect(!FileManager.default.fileExists(atPath: url.path))
            }
            #expect(try await files.blobs.contents() == [StoredBlob(hash: hash, byteCount: Self.content.count)])
            #expect(try await files.blobs.contains(hash))
        }
    }

    @Test(arguments: FileBackend.available)
    func anEmptyFileIsAFile(_ backend: FileBackend) async throws {
        try await backend.with { files, folder in
            let hash = try BlobHash(of: Data())
            try await files.blobs.store(fileAt: try makeFile(Data(), in: folder), as: hash)
            let file = try await files.blobs.open(hash)
            #expect(try await bytes(of: file) == Data())
        }
    }

    @Test(arguments: FileBackend.available)
    func aMissingFileIsAnErrorAndItsRemovalIsNot(_ backend: FileBackend) async throws {
        try await backend.with { files, _ in
            let hash = try BlobHash(of: Self.content)
            let error = await #expect(throws: HubError.self) { _ = try await files.blobs.open(hash) }
            #expect(error?.code == .dataLoss)
            #expect(try await !files.blobs.contains(hash))
            try await files.blobs.remove(hash)
            #expect(try await files.blobs.contents().isEmpty)
        }
    }

    @Test(arguments: FileBackend.withCopies)
    func aRemovedFileStaysForItsReaders(_ backend: FileBackend) async throws {
        try await backend.with { files, folder in
            let hash = try BlobHash(of: Self.content)
            try await files.blobs.store(fileAt: try makeFile(Self.content, in: folder), as: hash)
            let file = try await files.blobs.open(hash)
            try await files.blobs.remove(hash)
            await #expect(throws: HubError.self) { _ = try await files.blobs.open(hash) }
            #expect(try await bytes(of: file) == Self.content)
        }
    }

    @Test(arguments: FileBackend.available)
    func eightWritersOfTheSameFileStoreItOnce(_ backend: FileBackend) async throws {
        try await backend.with { files, folder in
            let hash = try BlobHash(of: Self.content)
            let sizes = try await eightAtOnce { _ in
                try await files.blobs.store(fileAt: try makeFile(Self.content, in: folder), as: hash)
                return try await files.blobs.open(hash).byteCount
            }
            #expect(sizes == Array(repeating: Self.content.count, count: 8))
            #expect(try await files.blobs.contents().count == 1)
        }
    }

    /// More files than a page of a listing has, and a file in parts.
    @Test(.enabled(if: StorageServer.moto.isInstalled, StorageServer.reason))
    func manyFilesAndLargeFilesAreStored() async throws {
        try await withTemporaryFolder { folder in
            let client = try await StorageServer.moto.client()
            let blobs = S3BlobStore(client)
            try await withThrowingTaskGroup(of: Void.self) { group in
                for number in 0..<1005 {
                    if number >= 8 { try await group.next() }
                    group.addTask { try await client.put(Data("\(number)".utf8), as: "many/\(number)") }
                }
                try await group.waitForAll()
            }
            #expect(try await Set(client.objects(below: "many/").map(\.key)).count == 1005)
            let large = Data(repeating: 5, count: S3Client.partSize + 1)
            let hash = try BlobHash(of: large)
            try await blobs.store(fileAt: try makeFile(large, in: folder), as: hash)
            let file = try await blobs.open(hash)
            #expect(try await FileHash.read(file) == FileHash(hash: hash, byteCount: large.count))
        }
    }
}
