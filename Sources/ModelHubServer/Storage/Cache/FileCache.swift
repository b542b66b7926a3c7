import Crypto
import DurableFiles
import Foundation
import HTTPServing
import ModelHubProtocol

/// Copies of remote files, in a folder of this machine with a limited size.
///
/// A file is fetched once, however many callers ask for it at the same time, and moved into place when it is complete. If
/// there is no room, the file unused for the longest time is removed, but not while it is open. If there is still no room, the
/// caller reads the file from where it lies.
///
/// The names of files with a known SHA-256 are their hashes. Such files outlive the process: the next process compares
/// each of them with its hash before its first use. A file that changed since it was compared is fetched again.
actor FileCache {
    /// A file to keep a copy of.
    struct Key: Sendable, Hashable {
        /// The name of the copy.
        let name: String
        /// The SHA-256, if it is known.
        let hash: BlobHash?

        /// A file that is known by its hash.
        init(_ hash: BlobHash) { (name, self.hash) = (hash.text, hash) }

        /// A file that never changes, but whose hash is not known.
        init(unhashed name: String) { (self.name, hash) = (name, nil) }
    }

    private struct Entry {
        var byteCount: Int
        /// The later use has the larger number.
        var use: Int
        /// The state of the copy when this process compared it with its hash; nil if it did not.
        var checked: CachedFile.State?
        /// The copy, while a caller has it open.
        weak var file: LocalFile?
    }

    /// The largest size of all copies in bytes.
    let byteLimit: Int
    private let folder: URL
    private let lock: FileLock
    private var entries: [String: Entry] = [:]
    /// The calls that open a copy, by its name.
    private let openings = SharedCall<String, StoredFile, any Error>()
    /// The removals of files from the folder that have not ended.
    private var removals: [String: Task<Void, Never>] = [:]
    private var uses = 0
    /// The bytes of the entries and of current fetches.
    private(set) var byteCount = 0

    /// Opens the cache in a folder, which no other process may use at the same time.
    ///
    /// - Throws: `.failedPrecondition` if another process uses the folder.
    static func open(_ folder: URL, byteLimit: Int) async throws -> FileCache {
        let (lock, files) = try await DiskThreads.run {
            try SystemCalls.makeFolder(folder)
            guard let lock = try? FileLock.takenIfFree(folder.appending(path: lockName).path) else {
                throw HubError(
                    .failedPrecondition,
                    "Another hub uses the cache in \(folder.path), or it cannot be written; pass another folder with --cache."
                )
            }
            return (lock, try CachedFile.all(in: folder))
        }
        let cache = FileCache(folder, byteLimit, lock)
        await cache.adopt(files)
        return cache
    }

    private static let lockName = "lock"

    private init(_ folder: URL, _ byteLimit: Int, _ lock: FileLock) {
        self.folder = folder
        self.byteLimit = byteLimit
        self.lock = lock
    }

    /// Takes over the files of an earlier process, the file unused for the longest time first.
    private func adopt(_ files: [CachedFile]) async {
        for file in files {
            entries[file.name] = Entry(byteCount: file.byteCount, use: nextUse())
            byteCount += file.byteCount
        }
        _ = await makeRoom(for: 0)
    }

    /// Opens the copy of a file, and fetches it first if necessary.
    ///
    /// - Parameter original: Opens the file where it lies.
    /// - Throws: `.dataLoss` if the original has another hash, and the errors of `original`.
    func open(_ key: Key, original: @escaping @Sendable () async throws -> StoredFile) async throws -> StoredFile {
        try await openings.result(for: key.name) { try await self.openAlone(key, original) }
    }

    private func openAlone(_ key: Key, _ original: @Sendable () async throws -> StoredFile) async throws -> StoredFile {
        await removals[key.name]?.value
        if let copy = try await copy(of: key) { return copy }
        return try await fetch(key, try await original())
    }

    /// Takes over a copy of a file, which is at a path on any file system. Does nothing if there is no room, or if the
    /// cache has the file.
    func insert(fileAt url: URL, as hash: BlobHash, byteCount: Int) async {
        let name = hash.text
        guard entries[name] == nil, !openings.isUnderWay(name), removals[name] == nil, await makeRoom(for: byteCount)
        else { return }
        let path = path(of: hash.text)
        let state = try? await DiskThreads.run {
            guard rename(url.path, path.path) == 0 else { throw SystemCalls.failure("store the file", errno) }
            return try CachedFile.open(path).state
        }
        guard let state, entries[hash.text] == nil else { return release(byteCount) }
        entries[hash.text] = Entry(byteCount: byteCount, use: nextUse(), checked: state)
    }

    /// Removes the copy of a file. Readers that have it open keep it.
    func remove(_ key: Key) async {
        guard let entry = entries.removeValue(forKey: key.name) else { return }
        release(entry.byteCount)
        await removeFiles([key.name])
    }

    // MARK: - Copies

    /// The existing copy of a file, if it is valid.
    private func copy(of key: Key) async throws -> StoredFile? {
        guard let entry = entries[key.name] else { return nil }
        let path = path(of: key.name)
        let checked = entry.checked
        let found = await BlockingExecutor.run { () -> (LocalFile, CachedFile.State)? in
            guard let (file, state) = try? CachedFile.open(path) else { return nil }
            if state == checked { return (file, state) }
            guard let hash = key.hash, (try? FileHash.read(path.path))?.hash == hash else { return nil }
            return (file, state)
        }
        guard let (file, state) = found, entries[key.name] != nil else {
            await remove(key)
            return nil
        }
        entries[key.name]?.checked = state
        return StoredFile(noteUse(of: key.name, file))
    }

    /// Notes a use of a copy, and returns its open file, which all readers share.
    private func noteUse(of name: String, _ file: LocalFile) -> LocalFile {
        entries[name]?.use = nextUse()
        entries[name]?.file = file
        return file
    }

    private func fetch(_ key: Key, _ original: StoredFile) async throws -> StoredFile {
        let size = original.byteCount
        // A file without a copy is compared with its hash whenever it is read.
        let unkept = key.hash.map { original.checked(against: $0) } ?? original
        guard await makeRoom(for: size) else { return unkept }
        var isKept = false
        defer { if !isKept { release(size) } }
        do {
            let (file, state) = try await download(key, original)
            isKept = true
            entries[key.name] = Entry(byteCount: size, use: nextUse(), checked: state, file: file)
            return StoredFile(file)
        } catch let error as HubError where error.isDiskFull {
            // The disk is full of something else.
            return unkept
        }
    }

    /// Fetches a file, a second time if its bytes are wrong, and after a clean-up if the disk is full.
    private func download(_ key: Key, _ original: StoredFile) async throws -> (LocalFile, CachedFile.State) {
        let target = path(of: key.name)
        var mayRepeat = true
        while true {
            do {
                return try await BlockingExecutor.run { try await CachedFile.fetch(original, key, to: target) }
            } catch let error as HubError
                where mayRepeat && (error.code == .dataLoss || error.isDiskFull)
            {
                mayRepeat = false
                if error.isDiskFull { await evict(original.byteCount) }
            }
        }
    }

    // MARK: - Room

    /// Makes room for a file, and reserves it; false if files in use leave none.
    private func makeRoom(for count: Int) async -> Bool {
        guard count <= byteLimit else { return false }
        await evict(byteCount + count - byteLimit)
        guard byteCount + count <= byteLimit else { return false }
        byteCount += count
        return true
    }

    /// Removes the files unused for the longest time, until they have at least a number of bytes. Open files stay.
    private func evict(_ count: Int) async {
        var rest = count
        var names: [String] = []
        for (name, entry) in entries.sorted(by: { $0.value.use < $1.value.use }) where rest > 0 {
            guard entry.file == nil, !openings.isUnderWay(name) else { continue }
            entries[name] = nil
            release(entry.byteCount)
            rest -= entry.byteCount
            names.append(name)
        }
        await removeFiles(names)
    }

    /// Removes files from the folder. Meanwhile nothing else is put under their names.
    private func removeFiles(_ names: [String]) async {
        for name in names {
            let path = path(of: name).path
            removals[name] = Task { _ = try? await DiskThreads.run { unlink(path) } }
        }
        for name in names {
            await removals[name]?.value
            removals[name] = nil
        }
    }

    private func release(_ count: Int) { byteCount -= count }

    private func nextUse() -> Int {
        uses += 1
        return uses
    }

    private func path(of name: String) -> URL { folder.appending(path: name) }
}
