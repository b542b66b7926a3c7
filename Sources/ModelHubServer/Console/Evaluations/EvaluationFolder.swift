import Foundation

/// The files of an evaluation.
enum EvaluationFolder {
    /// The uploaded pictures.
    static let archive = "pictures.zip"
    /// The report: the last line of the evaluating process.
    static let report = "report.json"
    /// The folder of thumbnails for pages, each under the hash of its path in the archive.
    static let thumbnails = "thumbnails"

    /// Writes a file completely or not at all.
    static func write(_ data: Data, as name: String, in folder: URL) throws {
        let part = folder.appending(path: "\(name).part")
        try data.write(to: part)
        let descriptor = open(part.path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw SystemCalls.failure("store the report", errno) }
        defer { close(descriptor) }
        guard fsync(descriptor) == 0, rename(part.path, folder.appending(path: name).path) == 0 else {
            throw SystemCalls.failure("store the report", errno)
        }
        try SystemCalls.synchronizeFolder(folder.path)
    }
}

extension Hub {
    /// The name of the folder of evaluations, in a hub's folder and in a backup.
    static let evaluationsName = "evaluations"

    /// The folder for the files of all evaluations.
    var evaluationFolders: URL { uploads.deletingLastPathComponent().appending(path: Self.evaluationsName) }

    /// The folder for the files of an evaluation.
    func folder(of evaluation: Int64) -> URL { evaluationFolders.appending(path: "\(evaluation)") }
}
