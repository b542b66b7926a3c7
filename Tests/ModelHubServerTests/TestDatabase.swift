import Foundation
import HubTestSupport

@testable import ModelHubServer

/// A kind of database for tests.
enum TestDatabase: String, Sendable {
    case sqlite
    case postgres

    /// The database of the hubs in all tests: `SIGHTLINE_TEST_DATABASE`, or SQLite.
    static let ofHubs = TestPlace.ofHubs.usesPostgres ? TestDatabase.postgres : .sqlite

    /// A way to an open database.
    typealias Opening = @Sendable () async throws -> any SQLDatabase

    /// Calls `body` with a new database, and a way to open it again.
    func with<Value>(
        in folder: URL,
        _ body: (any SQLDatabase, @escaping Opening) async throws -> Value
    ) async throws -> Value {
        switch self {
        case .sqlite:
            let file = folder.appending(path: "hub.sqlite")
            return try await body(try SQLiteDatabase.open(file)) { try SQLiteDatabase.open(file) }
        case .postgres:
            let server = try await PostgresServer.shared
            return try await server.withDatabase { name in
                let address = try PostgresAddress(server.address(name))
                let database = try await PostgresDatabase(address)
                do {
                    let value = try await body(database) { try await PostgresDatabase(address) }
                    try await database.close()
                    return value
                } catch {
                    try await database.close()
                    throw error
                }
            }
        }
    }
}
