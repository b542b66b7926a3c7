import Foundation

/// The upkeep of a ``MetadataStore``.
public protocol StoreMaintenance: Sendable {
    /// Whether other hubs may use the store at the same time, on other machines.
    var isShared: Bool { get }
    /// The current time, on which all hubs of the store agree.
    func now() -> Timestamp
    /// The changes of records from now on, through this hub and others. Changes without an entry of the audit log are not
    /// among them.
    func changes() -> AsyncStream<StoreChange>
    /// Calls a body unless another hub does so at this moment; returns whether it did.
    func runAlone(_ body: @Sendable () async throws -> Void) async throws -> Bool
    /// The place where the files of the records lie; nil if no hub has recorded it.
    func placeOfFiles() async throws -> HubFiles.Place?
    /// Records the place where the files of the records lie.
    func setPlaceOfFiles(_ place: HubFiles.Place) async throws
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
    /// Closes the store. Nothing may use it afterward.
    func close() async throws
}
