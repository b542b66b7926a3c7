import DurableFiles
import Foundation

/// A store with a folder for each evaluation: `5/pictures.zip`, `5/report.json`, `5/thumbnails/…`.
struct FolderEvaluationFileStore: EvaluationFileStore {
    /// The name of the folder in a hub's data and in a backup.
    static let folderName = "evaluations"

    private let folder: URL

    /// Opens the store in a folder, which is created with the first file.
    init(folder: URL) { self.folder = folder }

    func store(fileAt url: URL, as file: EvaluationFile, of evaluation: Int64) async throws {
        let target = path(of: file, evaluation)
        try await DiskThreads.run { try Self.move(url, to: target) }
    }

    func store(_ data: Data, as file: EvaluationFile, of evaluation: Int64) async throws {
        let target = path(of: file, evaluation)
        try await DiskThreads.run {
            try SystemCalls.makeFolder(target.deletingLastPathComponent())
            if case .thumbnail = file {
                // A lost thumbnail is made again.
                try DurableFile.write(data, to: target, isSynchronized: false)
            } else {
                try SystemCalls.replace(target, with: data)
            }
        }
    }

    func open(_ file: EvaluationFile, of evaluation: Int64) async throws -> StoredFile {
        let path = path(of: file, evaluation)
        return try await DiskThreads.run {
            guard FileHash.size(path) != nil else {
                throw HubError(.notFound, "The evaluation has no \(path.lastPathComponent); evaluate the model again.")
            }
            return StoredFile(try LocalFile(path))
        }
    }

    func files(of evaluation: Int64) async throws -> Set<EvaluationFile> {
        try await DiskThreads.run {
            let known = [EvaluationFile.pictures, .report].filter { FileHash.size(path(of: $0, evaluation)) != nil }
            // Names with a dot belong to files that were not written completely.
            let names = Self.names(in: path(of: .thumbnail(""), evaluation)).filter { !$0.contains(".") }
            return Set(known).union(names.map { .thumbnail($0) })
        }
    }

    func remove(_ evaluation: Int64) async throws {
        let folder = folder.appending(path: "\(evaluation)")
        try await DiskThreads.run {
            guard FileHash.size(folder) != nil else { return }
            try FileManager.default.removeItem(at: folder)
        }
    }

    func evaluations() async throws -> Set<Int64> {
        let folder = folder
        return try await DiskThreads.run { Set(Self.names(in: folder).compactMap { Int64($0) }) }
    }

    /// Throws an error if the folder of an evaluation is a link, which may lead to anything.
    func refuseLinks(_ evaluation: Int64) throws(HubError) {
        for folder in [folder, folder.appending(path: "\(evaluation)")] { try SystemCalls.refuseLink(folder) }
    }

    private static func move(_ url: URL, to target: URL) throws {
        let folder = target.deletingLastPathComponent()
        try SystemCalls.makeFolder(folder)
        guard rename(url.path, target.path) == 0 else { throw SystemCalls.failure("store the evaluation", errno) }
        try SystemCalls.synchronizeFolder(folder.path)
    }

    private func path(of file: EvaluationFile, _ evaluation: Int64) -> URL {
        let folder = folder.appending(path: "\(evaluation)")
        return switch file {
        case .pictures: folder.appending(path: "pictures.zip")
        case .report: folder.appending(path: "report.json")
        case .thumbnail(""): folder.appending(path: "thumbnails")
        case .thumbnail(let name): folder.appending(path: "thumbnails").appending(path: name)
        }
    }

    private static func names(in folder: URL) -> [String] {
        (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
    }
}
