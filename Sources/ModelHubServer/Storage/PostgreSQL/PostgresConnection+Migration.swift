extension PostgresConnection {
    /// Executes the migrations that the database does not have. Of several hubs, the first executes them, and the others
    /// wait.
    ///
    /// - Throws: `.failedPrecondition` if the database has a migration of a newer hub.
    func migrate(_ migrations: [Migration], in address: PostgresAddress) throws {
        let session = try openSession()
        // Migrations may take long.
        try session.beginTransaction("BEGIN; SET LOCAL statement_timeout = 0; SET LOCAL lock_timeout = 0")
        do {
            try session.execute(PostgresLock.tables.exclusive, patience: Self.migrationPatience)
            try session.execute("CREATE TABLE IF NOT EXISTS migration (name TEXT COLLATE \"C\" PRIMARY KEY)")
            let applied = Set(try session.rows("SELECT name FROM migration").map { try $0["name"] as String })
            guard applied.isSubset(of: migrations.map(\.name)) else {
                throw HubError(
                    .failedPrecondition,
                    "The database \(address) was written by a newer hub; install that version on this machine."
                )
            }
            for migration in migrations where !applied.contains(migration.name) {
                if !migration.postgres.isEmpty {
                    try session.execute(migration.postgres, patience: Self.migrationPatience)
                }
                try session.insert(["name": migration.name], into: "migration")
            }
            try session.execute("COMMIT", patience: Self.migrationPatience)
        } catch {
            // The server undoes the changes.
            close()
            throw error
        }
    }

    /// The time for each statement in milliseconds.
    private static let migrationPatience: Int32 = 3_600_000
}
