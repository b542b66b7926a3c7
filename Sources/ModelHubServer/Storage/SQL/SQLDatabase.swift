import Foundation

/// A database with the hub's records: a driver of ``HubRecords``.
///
/// The bodies of transactions are synchronous, and may run again if another transaction interfered.
protocol SQLDatabase: Sendable {
    /// The announced changes of all hubs.
    var feed: ChangeFeed { get }
    /// Whether other hubs may use the database at the same time, on other machines.
    var isShared: Bool { get }
    /// The current time, on which all hubs of the database agree.
    func now() -> Timestamp
    /// A number that differs after any change of the records that ``feed`` does not report; nil while such a change can
    /// stay unknown.
    func changeNumber() -> Int64?

    /// Calls a body with a transaction that reads a single state of all records.
    func read<Value: Sendable>(
        _ body: @escaping @Sendable (any SQLTransaction) throws -> Value
    ) async throws -> Value

    /// Calls a body with a transaction that takes effect durably, or not at all if the body throws an error.
    ///
    /// - Parameter project: The only project whose records the body reads before it changes them; nil for all
    ///   projects. No other such transaction of the project runs meanwhile, nor does one for all projects.
    func write<Value: Sendable>(
        in project: String?,
        _ body: @escaping @Sendable (any SQLTransaction) throws -> Value
    ) async throws -> Value

    /// Calls a body that executes one fast query, which does not wait for other transactions.
    func lookUp<Value: Sendable>(
        _ body: @escaping @Sendable (any SQLTransaction) throws -> Value
    ) async throws -> Value

    /// Calls a body unless another hub does such work at this moment; returns whether it did.
    func withExclusiveLease(_ work: SharedWork, _ body: @Sendable () async throws -> Void) async throws -> Bool

    /// Descriptions of damage to the database itself; empty if there is none.
    func damage() async throws -> [String]
    /// Writes a consistent copy of all records into a new SQLite file while others read and write.
    func backUp(to url: URL) async throws
    /// Moves everything into storage, and closes the database. Nothing else may use it at this time.
    func close() async throws
}

/// Work that one hub does for all hubs of a database.
enum SharedWork: Sendable {
    /// Removing unused data.
    case housekeeping
    /// Notifying webhooks.
    case webhooks
    /// Watching rollouts.
    case rollouts
}

extension SQLDatabase {
    /// Calls a body with a transaction on records of any project.
    func write<Value: Sendable>(
        _ body: @escaping @Sendable (any SQLTransaction) throws -> Value
    ) async throws -> Value {
        try await write(in: nil, body)
    }
}
