import Foundation

extension HubRecords {
    /// Checks that the store can be read and written.
    func check() async throws {
        try await database.write { db in
            _ = try db.insert(
                ["key": "checked", "value": Data([1])],
                into: "setting",
                "ON CONFLICT (key) DO UPDATE SET value = excluded.value"
            )
        }
    }

    var isShared: Bool { database.isShared }

    /// The current time, on which all hubs of the store agree.
    func now() -> Timestamp { database.now() }

    /// The changes of records from now on, through this hub and others. Changes without an entry of the audit log are not
    /// among them.
    func changes() -> AsyncStream<StoreChange> { database.feed.changes() }

    /// Calls a body unless another hub does such work at this moment; returns whether it did.
    func withExclusiveLease(
        _ work: SharedWork = .housekeeping,
        _ body: @Sendable () async throws -> Void
    ) async throws -> Bool {
        try await database.withExclusiveLease(work, body)
    }

    /// Writes a consistent copy of all records into a new file while others read and write.
    func backUp(to url: URL) async throws { try await database.backUp(to: url) }

    /// Takes over all records in a file of ``backUp(to:)``, at once or not at all.
    ///
    /// - Throws: `.alreadyExists` if the store has a project.
    func takeOver(recordsIn file: URL) async throws {
        let records = try SQLiteDatabase(file)
        try await database.write { target in
            try records.readNow { source in try RecordCopy.run(from: source, to: target) }
        }
        try await records.close()
    }

    /// Closes the store. Nothing may use it afterward.
    func close() async throws { try await database.close() }

    /// Descriptions of damage; empty if there is none.
    func integrityProblems() async throws -> [String] {
        let damage = try await database.damage()
        return try await database.read { db in
            let misplaced = try db.rows(
                """
                SELECT model.id FROM model
                WHERE version IS NOT NULL AND NOT EXISTS (
                    SELECT 1 FROM version WHERE version.model = model.id AND version.number = model.version
                        AND version.hash = model.hash AND version.size = model.size)
                """
            ).map { "model \(try $0["id"] as Int64) serves a version that is not its own" }
            let unstored = try db.rows(
                """
                SELECT hash FROM (SELECT hash FROM version UNION SELECT hash FROM object) AS needed
                WHERE NOT EXISTS (SELECT 1 FROM blob WHERE blob.hash = needed.hash AND blob.state = 'stored')
                """
            ).map { "the file \(try $0["hash"] as String) is needed but not recorded as stored" }
            return damage + misplaced + unstored
        }
    }
}
