import Foundation

@testable import ModelHubServer

/// A database that does not respond while a test says so.
struct AbsentDatabase: SQLDatabase {
    private let database: any SQLDatabase
    private let isAway: @Sendable () -> Bool

    init(_ database: any SQLDatabase, isAway: @escaping @Sendable () -> Bool) {
        (self.database, self.isAway) = (database, isAway)
    }

    private func check() throws(HubError) {
        guard isAway() else { return }
        throw HubError(
            .unavailable,
            "The hub's database does not respond; try again in a few seconds.",
            retryAfter: .seconds(2)
        )
    }

    var feed: ChangeFeed { database.feed }
    var isShared: Bool { database.isShared }
    func now() -> Timestamp { database.now() }
    func changeNumber() -> Int64? { isAway() ? nil : database.changeNumber() }

    func read<Value: Sendable>(
        _ body: @escaping @Sendable (any SQLTransaction) throws -> Value
    ) async throws -> Value {
        try check()
        return try await database.read(body)
    }

    func write<Value: Sendable>(
        in project: String?,
        _ body: @escaping @Sendable (any SQLTransaction) throws -> Value
    ) async throws -> Value {
        try check()
        return try await database.write(in: project, body)
    }

    func lookUp<Value: Sendable>(
        _ body: @escaping @Sendable (any SQLTransaction) throws -> Value
    ) async throws -> Value {
        try check()
        return try await database.lookUp(body)
    }

    func withExclusiveLease(_ work: SharedWork, _ body: @Sendable () async throws -> Void) async throws -> Bool {
        try check()
        return try await database.withExclusiveLease(work, body)
    }

    func damage() async throws -> [String] { try await database.damage() }
    func backUp(to url: URL) async throws { try await database.backUp(to: url) }
    func close() async throws {}
}
