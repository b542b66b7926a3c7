extension PostgresConnection {
    /// Executes the migrations that the database does not have. Of several hubs, the first executes them, and the others
    /// wait.
    ///
    /// - Throws: `.failedPrecondition` if the database has a migration that this hub does not know, or other tables than its migrations
    ///   make.
    func migrate(_ migrations: [Migration], in address: PostgresAddress) throws {
        let session = try openSession()
        // Migrations may take long.
        try session.beginTransaction("BEGIN; SET LOCAL statement_timeout = 0; SET LOCAL lock_timeout = 0")
        do {
            try session.execute(PostgresLock.tables.exclusive, timeout: Self.migrationTimeout)
            try session.execute("CREATE TABLE IF NOT EXISTS migration (name TEXT COLLATE \"C\" PRIMARY KEY)")
            let applied = Set(try session.rows("SELECT name FROM migration").map { try $0["name"] as String })
            guard applied.isSubset(of: migrations.map(\.name)) else {
                throw HubError(
                    .failedPrecondition,
                    "The database \(address) was written by a newer hub, or before version 0.1.0; install that version on this machine."
                )
            }
            let known = migrations.filter { applied.contains($0.name) }
            if let last = known.last {
                try TableShapes(session).check(
                    against: TableShapes(known),
                    of: "the database \(address)",
                    version: last.name
                )
            }
            for migration in migrations where !applied.contains(migration.name) {
                try session.execute(
                    SQLDialect.postgreSQL.statements(of: migration),
                    timeout: Self.migrationTimeout
                )
                try session.insert(["name": migration.name], into: "migration")
            }
            try session.execute("COMMIT", timeout: Self.migrationTimeout)
        } catch {
            // The server undoes the changes.
            close()
            throw error
        }
    }

    /// The time for each statement in milliseconds.
    private static let migrationTimeout: Int32 = 3_600_000
}
