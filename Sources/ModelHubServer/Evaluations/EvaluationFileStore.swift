import Foundation

/// A file of an evaluation.
package enum EvaluationFile: Sendable, Hashable {
    /// The uploaded pictures: a zip archive, which never changes.
    case pictures
    /// The report: the last line of the evaluating process.
    case report
    /// A small picture for pages, with the hash of its path in the archive; empty if the picture cannot be shown.
    case thumbnail(String)
}

/// A store for the files of evaluations, each with an evaluation's id. Their records are in the ``HubRecords``.
package protocol EvaluationFileStore: Sendable {
    /// Takes over a file on this machine, which no longer exists when this method returns.
    func store(fileAt url: URL, as file: EvaluationFile, of evaluation: Int64) async throws
    /// Stores a file, which replaces an earlier one completely or not at all.
    func store(_ data: Data, as file: EvaluationFile, of evaluation: Int64) async throws
    /// Opens a file.
    ///
    /// - Throws: `.notFound` if it does not exist.
    func open(_ file: EvaluationFile, of evaluation: Int64) async throws -> StoredFile
    /// The files of an evaluation.
    func files(of evaluation: Int64) async throws -> Set<EvaluationFile>
    /// Removes all files of an evaluation; does nothing if there are none.
    func remove(_ evaluation: Int64) async throws
    /// The evaluations that have files.
    func evaluations() async throws -> Set<Int64>
}
