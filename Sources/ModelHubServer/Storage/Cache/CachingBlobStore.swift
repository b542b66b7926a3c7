import Foundation

/// A store on other machines, with copies of its files on this machine.
///
/// The hub thus sends files and reads parts of them as if they were its own. The store itself says which files exist;
/// only ``open(_:)`` is content with a copy, since a copy has the right bytes or does not exist.
struct CachingBlobStore: BlobStore {
    private let store: any BlobStore
    private let cache: FileCache

    init(_ store: any BlobStore, cache: FileCache) {
        self.store = store
        self.cache = cache
    }

    func store(fileAt url: URL, as hash: BlobHash) async throws {
        // A second name for the bytes, since the store takes the first; it becomes the copy.
        let copy = url.appendingPathExtension("copy.part")
        let byteCount = try await DiskThreads.run {
            unlink(copy.path)
            return link(url.path, copy.path) == 0 ? FileHash.size(copy) : nil
        }
        do {
            try await store.store(fileAt: url, as: hash)
            if let byteCount { await cache.insert(fileAt: copy, as: hash, byteCount: byteCount) }
        } catch {
            unlink(copy.path)
            throw error
        }
        unlink(copy.path)
    }

    func open(_ hash: BlobHash) async throws -> StoredFile {
        try await cache.open(FileCache.Key(hash)) { try await store.open(hash) }
    }

    func remove(_ hash: BlobHash) async throws {
        try await store.remove(hash)
        await cache.remove(FileCache.Key(hash))
    }

    func contents() async throws -> [StoredBlob] { try await store.contents() }

    func contains(_ hash: BlobHash) async throws -> Bool { try await store.contains(hash) }

    func check() async throws { try await store.check() }
}
