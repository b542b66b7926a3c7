import Crypto
import Foundation

/// A copy in the folder of a ``FileCache``.
struct CachedFile: Sendable {
    let name: String
    let byteCount: Int
    /// When it was last used, in seconds since 1970.
    let useTime: Int

    /// The attributes that change with a copy.
    struct State: Sendable, Hashable {
        var node: UInt64
        var byteCount: Int
        var seconds: Int
        var nanoseconds: Int
    }

    /// The copies with a known hash, the copy unused for the longest time first. Everything else in the folder but the
    /// lock is removed: files of fetches that did not end, and files that cannot be checked.
    static func all(in folder: URL) throws -> [CachedFile] {
        var files: [CachedFile] = []
        for name in (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? [] where name != "lock" {
            let url = folder.appending(path: name)
            var status = stat()
            guard BlobHash(name) != nil, lstat(url.path, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
                unlink(url.path)
                continue
            }
            files.append(
                CachedFile(name: name, byteCount: Int(status.st_size), useTime: Int(status.st_atim.tv_sec))
            )
        }
        return files.sorted { $0.useTime < $1.useTime }
    }

    /// Opens a copy, and notes its use for the next process.
    static func open(_ url: URL) throws -> (file: LocalFile, state: State) {
        let file = try LocalFile(url)
        var status = stat()
        guard fstat(file.descriptor, &status) == 0 else { throw SystemCalls.failure("read a file", errno) }
        var now = timespec()
        clock_gettime(CLOCK_REALTIME, &now)
        futimens(file.descriptor, [now, status.st_mtim])
        return (
            file,
            State(
                node: UInt64(status.st_ino),
                byteCount: Int(status.st_size),
                seconds: Int(status.st_mtim.tv_sec),
                nanoseconds: Int(status.st_mtim.tv_nsec)
            )
        )
    }

    /// Copies a file to its place in the cache, where it appears when it is complete.
    ///
    /// - Throws: `.dataLoss` if the bytes are not those of the hash, and ``HubError/diskFull``.
    static func fetch(
        _ original: StoredFile,
        _ key: FileCache.Key,
        to target: URL
    ) async throws -> (LocalFile, State) {
        let part = target.deletingLastPathComponent().appending(path: "\(RandomBytes.make(8).hexadecimalText).part")
        defer { unlink(part.path) }
        let found = try await copy(original, to: part)
        guard found.byteCount == original.byteCount, key.hash == nil || found.hash == key.hash else {
            throw HubError.otherBytes(key.name)
        }
        guard rename(part.path, target.path) == 0 else { throw SystemCalls.failure("store the file", errno) }
        return try open(target)
    }

    /// Without a write to disk: a copy that a power failure damaged is fetched again.
    private static func copy(_ original: StoredFile, to path: URL) async throws -> FileHash {
        let descriptor = Foundation.open(path.path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else { throw SystemCalls.failure("store the file", errno) }
        defer { close(descriptor) }
        return try await FileHash.read(original) { try SystemCalls.write($0, to: descriptor) }
    }
}
