/// A change of the tables, for each driver. A released migration never changes; later migrations follow it, with the next
/// number.
struct Migration: Sendable {
    /// The number, and the reason for the change. A database contains the names of its migrations.
    let name: String
    /// The statements for SQLite.
    let sqlite: String
    /// The statements for PostgreSQL.
    let postgres: String

    init(_ name: String, sqlite: String, postgres: String) {
        self.name = name
        self.sqlite = sqlite
        self.postgres = postgres
    }

    /// Creates a migration from statements that both databases understand.
    init(_ name: String, _ sql: String) { self.init(name, sqlite: sql, postgres: sql) }
}
