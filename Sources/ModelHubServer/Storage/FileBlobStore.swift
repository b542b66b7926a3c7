import Foundation

/// A store with the files of a folder: `ab/abcdef….blob`, with two digits of the hash before the slash.
///
/// A file is added by a rename, which replaces an existing file. Under its name it is therefore complete at every
/// moment, and readers keep the file that they opened.
struct FileBlobStore: BlobStore {
    private let folder: URL

    /// Opens the store in a folder, and creates the folder if necessary.
    init(folder: URL) throws(HubError) {
        self.folder = folder
        try SystemCalls.makeFolder(folder)
    }

    /// Takes over a file on the same file system.
    func store(fileAt url: URL, as hash: BlobHash) async throws {
        let (folder, target) = (folder, path(of: hash))
        let parent = target.deletingLastPathComponent()
        try await DiskThreads.run {
            if !FileManager.default.fileExists(atPath: parent.path) {
                try SystemCalls.makeFolder(parent)
                try SystemCalls.synchronizeFolder(folder.path)
            }
            guard rename(url.path, target.path) == 0 else { throw SystemCalls.failure("store the file", errno) }
            try SystemCalls.synchronizeFolder(parent.path)
        }
    }

    func open(_ hash: BlobHash) async throws -> StoredFile {
        let file = path(of: hash)
        return try await DiskThreads.run {
            // A link does not count as a file.
            guard SystemCalls.isRegularFile(file), access(file.path, R_OK) == 0 else {
                throw HubError(.dataLoss, "The hub has lost a model's file; `sightline hub verify` shows its hash.")
            }
            return StoredFile(try LocalFile(file))
        }
    }

    func remove(_ hash: BlobHash) async throws {
        let file = path(of: hash)
        try await DiskThreads.run {
            guard unlink(file.path) == 0 || errno == ENOENT else {
                throw SystemCalls.failure("remove a file", errno)
            }
        }
    }

    func contents() async throws -> [StoredBlob] {
        try await DiskThreads.run {
            var contents: [StoredBlob] = []
            for prefix in try names(in: folder) where prefix.utf8.count == 2 {
                for name in try names(in: folder.appending(path: prefix)) where name.hasSuffix(Self.suffix) {
                    guard let hash = BlobHash(name.dropLast(Self.suffix.count)),
                        let byteCount = FileHash.size(path(of: hash))
                    else { continue }
                    contents.append(StoredBlob(hash: hash, byteCount: byteCount))
                }
            }
            return contents
        }
    }

    private static let suffix = ".blob"

    /// The path for a hash.
    func path(of hash: BlobHash) -> URL {
        folder.appending(path: "\(hash.text.prefix(2))/\(hash.text)\(Self.suffix)")
    }

    private func names(in folder: URL) throws(HubError) -> [String] {
        do {
            return try FileManager.default.contentsOfDirectory(atPath: folder.path)
        } catch {
            throw HubError(
                .internal,
                "The folder \(folder.lastPathComponent) of the hub's data cannot be read; check its permissions."
            )
        }
    }
}
