import Foundation
import NIOCore
import SightlineTestSupport
import Synchronization
import Testing

@testable import ModelHubServer

/// The copies of files that lie elsewhere.
@Suite(.hangLimit)
struct FileCacheTests {
    /// Files in memory, and how often they were read.
    private final class Originals: Sendable {
        private let counts = Mutex<[BlobHash: Int]>([:])

        func count(_ hash: BlobHash) -> Int { counts.withLock { $0[hash] ?? 0 } }

        func open(_ content: Data, as hash: BlobHash) -> StoredFile {
            StoredFile(byteCount: content.count) { range in
                self.counts.withLock { $0[hash, default: 0] += 1 }
                return StoredFile.Bytes { continuation in
                    let part = content[range]
                    for start in stride(from: part.startIndex, to: part.endIndex, by: 1000) {
                        continuation.yield(ByteBuffer(bytes: part[start..<min(start + 1000, part.endIndex)]))
                    }
                    continuation.finish()
                }
            }
        }
    }

    private static func content(_ number: Int) -> Data { fakeModel(number, byteCount: 9_000) }

    /// Calls `body` with a cache that has room for three files, and with its folder.
    private func withCache(
        _ body: (URL, Originals, (FileCache, Int) async throws -> StoredFile) async throws -> Void
    ) async throws {
        try await withTemporaryFolder { folder in
            let originals = Originals()
            try await body(folder.appending(path: "cache"), originals) { cache, number in
                let content = Self.content(number)
                let hash = try BlobHash(of: content)
                return try await cache.open(FileCache.Key(hash)) { originals.open(content, as: hash) }
            }
        }
    }

    private func copies(in folder: URL) throws -> Set<String> {
        Set(try FileManager.default.contentsOfDirectory(atPath: folder.path)).subtracting(["lock"])
    }

    @Test func manyCallersFetchAFileOnce() async throws {
        try await withCache { folder, originals, _ in
            let cache = try await FileCache.open(folder, byteLimit: 30_000)
            let content = Self.content(1)
            let hash = try BlobHash(of: content)
            let files = try await eightAtOnce { _ in
                try await cache.open(FileCache.Key(hash)) {
                    try await Task.sleep(for: .milliseconds(20))
                    return originals.open(content, as: hash)
                }
            }
            for file in files {
                #expect(file.local != nil)
                #expect(try await bytes(of: file) == content)
            }
            #expect(originals.count(hash) == 1)
        }
    }

    @Test func theFileUnusedForTheLongestTimeGoes() async throws {
        try await withCache { folder, originals, open in
            let cache = try await FileCache.open(folder, byteLimit: 30_000)
            for number in [1, 2, 3, 1, 4] {
                #expect(try await bytes(of: try await open(cache, number)) == Self.content(number))
            }
            #expect(try copies(in: folder) == Set([1, 3, 4].map { sha256(Self.content($0)) }))
            #expect(await cache.byteCount == [1, 3, 4].reduce(0) { $0 + Self.content($1).count })
            // An open file stays, and what has no room is read where it lies.
            let inUse = try await [open(cache, 1), open(cache, 3), open(cache, 4)]
            let other = try await open(cache, 5)
            #expect(other.local == nil)
            #expect(try await bytes(of: other) == Self.content(5))
            for (file, number) in zip(inUse, [1, 3, 4]) { #expect(try await bytes(of: file) == Self.content(number)) }
            let first = try BlobHash(of: Self.content(1))
            #expect(originals.count(first) == 1)
        }
    }

    @Test func aFileLargerThanTheCacheIsReadWhereItLies() async throws {
        try await withCache { folder, _, open in
            let cache = try await FileCache.open(folder, byteLimit: 100)
            let file = try await open(cache, 1)
            #expect(file.local == nil)
            #expect(try await bytes(of: file, 10..<20) == Self.content(1)[10..<20])
            #expect(try copies(in: folder).isEmpty)
            #expect(await cache.byteCount == 0)
        }
    }

    /// Bytes that changed in the storage never reach a reader as a whole, also without room for a copy.
    @Test(arguments: [0..<9_000, 0..<10, 4_000..<4_500, 8_999..<9_000])
    func wrongBytesThatHaveNoRoomAreNotRead(part: Range<Int>) async throws {
        try await withCache { folder, originals, _ in
            let cache = try await FileCache.open(folder, byteLimit: 100)
            let content = Self.content(1)
            let hash = try BlobHash(of: content)
            for place in [0, 4_200, 8_999] {
                var wrong = content
                wrong[place] ^= 1
                let damaged = wrong
                let file = try await cache.open(FileCache.Key(hash)) { originals.open(damaged, as: hash) }
                var received = 0
                let error = await #expect(throws: HubError.self) {
                    for try await piece in file.bytes(in: part) { received += piece.readableBytes }
                }
                #expect(error?.code == .dataLoss)
                #expect(received < part.count)
            }
            let right = try await cache.open(FileCache.Key(hash)) { originals.open(content, as: hash) }
            #expect(try await bytes(of: right, part) == content[part])
        }
    }

    @Test func copiesOutliveTheProcessAndAreCheckedOnce() async throws {
        try await withCache { folder, originals, open in
            var cache: FileCache? = try await FileCache.open(folder, byteLimit: 30_000)
            if let cache { for number in 1...2 { _ = try await open(cache, number) } }
            // No other process may use the folder meanwhile.
            let error = await #expect(throws: HubError.self) { _ = try await FileCache.open(folder, byteLimit: 1) }
            #expect(error?.code == .failedPrecondition)
            cache = nil
            // A fetch that did not end.
            try Data("x".utf8).write(to: folder.appending(path: "0a.part"))
            let hash = try BlobHash(of: Self.content(2))
            try Data("damaged".utf8).write(to: folder.appending(path: hash.text))
            // The lock is free when the tasks of the first cache are gone.
            var next: FileCache?
            try await wait(while: {
                next = try? await FileCache.open(folder, byteLimit: 30_000)
                return next == nil
            })
            let second = try #require(next)
            for number in 1...2 { #expect(try await bytes(of: try await open(second, number)) == Self.content(number)) }
            let first = try BlobHash(of: Self.content(1))
            #expect(originals.count(first) == 1)
            #expect(originals.count(hash) == 2)
            #expect(try copies(in: folder).count == 2)
        }
    }

    @Test(arguments: ["cut", "changed", "removed"])
    func aDamagedCopyIsFetchedAgain(_ damage: String) async throws {
        try await withCache { folder, originals, open in
            let cache = try await FileCache.open(folder, byteLimit: 30_000)
            let hash = try BlobHash(of: Self.content(1))
            let copy = folder.appending(path: hash.text)
            #expect(try await open(cache, 1).local?.path == copy.path)
            switch damage {
            case "removed": try FileManager.default.removeItem(at: copy)
            case "cut":
                let handle = try FileHandle(forWritingTo: copy)
                try handle.truncate(atOffset: 100)
                try handle.close()
            default:
                let handle = try FileHandle(forWritingTo: copy)
                try handle.write(contentsOf: Data("other".utf8))
                try handle.close()
            }
            #expect(try await bytes(of: try await open(cache, 1)) == Self.content(1))
            #expect(originals.count(hash) == 2)
            #expect(await cache.byteCount == Self.content(1).count)
        }
    }

    @Test func aFailureIsNotRemembered() async throws {
        try await withCache { folder, originals, open in
            let cache = try await FileCache.open(folder, byteLimit: 30_000)
            let content = Self.content(1)
            let hash = try BlobHash(of: content)
            let error = await #expect(throws: HubError.self) {
                _ = try await cache.open(FileCache.Key(hash)) { throw HubError(.unavailable, "gone") }
            }
            #expect(error?.code == .unavailable)
            let wrong = await #expect(throws: HubError.self) {
                _ = try await cache.open(FileCache.Key(hash)) { originals.open(content + Data([1]), as: hash) }
            }
            #expect(wrong?.code == .dataLoss)
            #expect(await cache.byteCount == 0)
            #expect(try copies(in: folder).isEmpty)
            #expect(try await bytes(of: try await open(cache, 1)) == content)
        }
    }
}
