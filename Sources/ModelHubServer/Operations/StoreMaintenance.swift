import Foundation

/// The upkeep of a ``MetadataStore``.
public protocol StoreMaintenance: Sendable {
    /// Checks that the store can be read and written.
    func check() async throws
    /// Writes a consistent copy of all records into a new file while others read and write.
    func backUp(to url: URL) async throws
    /// Takes over all records in a file of ``backUp(to:)``, at once or not at all.
    ///
    /// - Throws: `.alreadyExists` if the store has a project.
    func takeOver(recordsIn file: URL) async throws
    /// Descriptions of damage; empty if there is none.
    func integrityProblems() async throws -> [String]
}
