import Foundation

/// The files of an evaluation.
enum EvaluationFolder {
    /// The pictures, as they were uploaded.
    static let archive = "pictures.zip"
    /// The report: the last line of the process that made it.
    static let report = "report.json"
    /// Small pictures that pages show, each under the hash of its path in the archive.
    static let thumbnails = "thumbnails"

    /// Writes a file that is whole under its name, or not there.
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
    /// What the folder of evaluations is called, in a hub's folder and in a backup.
    static let evaluationsName = "evaluations"

    /// Where the files of evaluations lie.
    var evaluationFolders: URL { uploads.deletingLastPathComponent().appending(path: Self.evaluationsName) }

    /// Where the files of an evaluation lie.
    func folder(of evaluation: Int64) -> URL { evaluationFolders.appending(path: "\(evaluation)") }
}
