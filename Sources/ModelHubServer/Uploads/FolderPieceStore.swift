import Foundation

/// A store with a file for each upload, to which each request appends. It has no bytes in pieces, so that nothing has to
/// be copied when the last request is done.
struct FolderPieceStore: UploadPieceStore {
    private let folder: URL

    /// Opens the store in an existing folder, on the file system of the stores for whole files.
    init(folder: URL) { self.folder = folder }

    /// The suffix of the files; other files in the folder do not belong to the store.
    static let suffix = ".received"

    func byteCount(of upload: String) async throws -> Int {
        let file = path(of: upload)
        return try await DiskThreads.run { FileHash.size(file) ?? 0 }
    }

    func stage(_ upload: String, limit: Int, entry: UploadLedger.Entry?) async throws -> sending UploadPiece {
        UploadPiece(
            start: 0,
            file: try await StagedFile(continuing: path(of: upload), limit: limit, entry: entry)
        )
    }

    func keep(fileAt url: URL, from start: Int, of upload: String) async throws {}

    func whole(_ upload: String) async throws -> sending StagedFile {
        try await StagedFile(continuing: path(of: upload), limit: .max)
    }

    func remove(_ upload: String) async throws {
        let file = path(of: upload)
        _ = try await DiskThreads.run { unlink(file.path) }
    }

    func uploads() async throws -> Set<String> {
        let folder = folder
        return try await DiskThreads.run {
            let names = try FileManager.default.contentsOfDirectory(atPath: folder.path)
            return Set(names.filter { $0.hasSuffix(Self.suffix) }.map { String($0.dropLast(Self.suffix.count)) })
        }
    }

    /// The file of an upload. The hub makes the ids, so that they are safe in a path.
    func path(of upload: String) -> URL { folder.appending(path: upload + Self.suffix) }
}
