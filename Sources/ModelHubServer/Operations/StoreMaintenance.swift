import Foundation

/// The upkeep of a ``MetadataStore``.
public protocol StoreMaintenance: Sendable {
    /// Whether other hubs may use the store at the same time, on other machines.
    var isShared: Bool { get }
    /// The changes of records from now on, through this hub and others. Changes without an entry of the audit log are not
    /// among them.
    func changes() -> AsyncStream<StoreChange>
    /// Calls a body unless another hub does so at this moment; returns whether it did.
    func runAlone(_ body: @Sendable () async throws -> Void) async throws -> Bool
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
