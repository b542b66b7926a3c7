import Crypto
import Foundation
import GRDB
import SightlineTestSupport
import Testing

@testable import ModelHubServer

/// The tables of released versions, which never change.
@Suite(.hangLimit)
struct FrozenSchemaTests {
    private static func hash(_ data: some DataProtocol) -> String {
        Crypto.SHA256.hash(data: data).map { String(format: "%02x", $0) }.joined()
    }

    /// If this fails for a released version, undo the change and write another migration: CONTRIBUTING.md, "Change the tables".
    @Test func theMigrationsOfReleasedVersionsAreAsTheyWereReleased() {
        let released = [
            "0.1.0": (
                sqlite: "75f2cec72400c9d552ce34e8184a3c5e72ad33acaf2101992f47e0193fb76bfc",
                postgreSQL: "dbecb73331ea0506eff3cf27a0962f65044bce47563389231abbf3dfbfe649f9"
            ),
            "0.2.0": (
                sqlite: "36985d2110d2762d4fc832a8aa4a4fc449ec79009bfa7503decd7b8c4059d0f2",
                postgreSQL: "a48ddee32f6e2eb2d4c67ed7253fb676662289819347d2d9de7030d9bc602e4f"
            ),
        ]
        #expect(Set(HubSchema.migrations.map(\.name)) == Set(released.keys))
        for migration in HubSchema.migrations {
            #expect(
                Self.hash(Data(SQLDialect.sqlite.statements(of: migration).utf8)) == released[migration.name]?.sqlite
            )
            #expect(
                Self.hash(Data(SQLDialect.postgreSQL.statements(of: migration).utf8))
                    == released[migration.name]?.postgreSQL
            )
        }
    }

    /// The hub of the fixtures was written by version 0.1.0. Later versions get fixtures of their own.
    @Test func theHubOfTheFixturesIsAsItsVersionWroteIt() throws {
        let data = try Data(contentsOf: TestData.fixture("hub").appending(path: "hub.sqlite"))
        #expect(Self.hash(data) == "d333a50c7d990ac6b7688e4c01514bc0e0c530817dfb13ffdcc2590c0e994b12")
    }

    /// If this fails after a migration was added, `HubSchema.sqliteTables` needs the hash that is printed here. Until then, every
    /// start compares all tables one by one.
    @Test func theHashOfAllTablesIsThatOfANewDatabase() async throws {
        try await withTemporaryFolder { folder in
            let file = folder.appending(path: "hub.sqlite")
            try await SQLiteDatabase(file).close()
            let queue = try DatabaseQueue(path: file.path)
            defer { try? queue.close() }
            let statements = try await queue.read { db in
                try String.fetchAll(
                    db,
                    sql: """
                        SELECT sql FROM sqlite_schema
                        WHERE sql IS NOT NULL AND name NOT GLOB 'sqlite_*' AND name <> 'grdb_migrations' ORDER BY name
                        """
                )
            }
            #expect(Self.hash(Data(statements.joined(separator: "\n").utf8)) == HubSchema.sqliteTables)
        }
    }

    @Test(arguments: [
        ("ALTER TABLE audit DROP COLUMN event", "the table audit lacks the column event"),
        ("ALTER TABLE project ADD COLUMN later TEXT", "the table project has an unknown column later"),
        ("ALTER TABLE webhook RENAME COLUMN secret TO key", "the table webhook has an unknown column key (and 1 more)"),
        ("DROP TABLE webhookDelivery", "the table webhookdelivery is missing"),
        ("DROP INDEX auditOfProject", "the table audit lacks the index auditofproject"),
        ("CREATE INDEX own ON audit (time)", "the table audit has an unknown index own"),
        (
            "DROP INDEX auditOfProject; CREATE INDEX auditOfProject ON audit (project, number)",
            "the index auditofproject of the table audit is another"
        ),
        (
            "DROP INDEX activeRolloutOfModel; CREATE UNIQUE INDEX activeRolloutOfModel ON rollout (model)",
            "the index activerolloutofmodel of the table rollout is another"
        ),
        (
            "DROP TABLE webhookDelivery; CREATE TABLE webhookDelivery (project TEXT, webhook TEXT, number INTEGER)",
            "the table webhookdelivery lacks the column attempts (and 7 more)"
        ),
    ])
    func aDatabaseWithOtherTablesIsRefused(change: String, words: String) async throws {
        try await withTemporaryFolder { folder in
            let file = folder.appending(path: "hub.sqlite")
            try await SQLiteDatabase(file).close()
            let queue = try DatabaseQueue(path: file.path)
            try await queue.write { db in try db.execute(sql: change) }
            try queue.close()
            let error = #expect(throws: HubError.self) { _ = try SQLiteDatabase.open(file) }
            #expect(error?.code == .failedPrecondition)
            #expect(
                error?.message.contains("are not those of version 0.2.0: \(words)") == true,
                "\(error?.message ?? "")"
            )
            #expect(error?.message.contains("use the build of the hub that made them") == true)
        }
    }

    /// Programs such as Litestream keep tables of their own beside those of the hub.
    @Test func tablesOfOthersBesideThoseOfTheHubAreIgnored() async throws {
        try await withTemporaryFolder { folder in
            let file = folder.appending(path: "hub.sqlite")
            try await SQLiteDatabase(file).close()
            let queue = try DatabaseQueue(path: file.path)
            try await queue.write { db in
                try db.execute(sql: "CREATE TABLE _litestream_seq (id INTEGER PRIMARY KEY, seq INTEGER)")
            }
            try queue.close()
            try await SQLiteDatabase.open(file).close()
        }
    }

    /// Commands and a hub that starts refuse such a folder alike, and change nothing.
    @Test(arguments: [["list"], ["verify"], ["serve", "--port", "0"], ["console"]])
    func aCommandRefusesAFolderWithOtherTables(words: [String]) async throws {
        try await withTemporaryFolder { folder in
            let data = folder.appending(path: "data")
            try FileManager.default.copyItem(at: TestData.fixture("hub"), to: data)
            let queue = try DatabaseQueue(path: data.appending(path: "hub.sqlite").path)
            try await queue.write { db in try db.execute(sql: "DROP TABLE webhookDelivery; DROP TABLE webhook") }
            try queue.close()
            let result = try await HubProgram.run(words + ["--data", data.path], place: .folder)
            #expect(result.status == 2, "\(result.errors)")
            #expect(
                result.errors.contains(
                    "the table webhook is missing (and 1 more); use the build of the hub that made them"
                )
            )
        }
    }

    @Test func aBackupWithOtherTablesIsNotRestored() async throws {
        try await withTemporaryFolder { folder in
            let backup = folder.appending(path: "backup")
            try FileManager.default.copyItem(at: TestData.fixture("hub"), to: backup)
            let queue = try DatabaseQueue(path: backup.appending(path: "hub.sqlite").path)
            try await queue.write { db in try db.execute(sql: "DROP INDEX credentialOfPerson") }
            try queue.close()
            let target = folder.appending(path: "restored")
            let result = try await HubProgram.run(["restore", backup.path, "--data", target.path])
            #expect(
                result.status == 2 && result.errors.contains("lacks the index credentialofperson"),
                "\(result.errors)"
            )
            #expect(!FileManager.default.fileExists(atPath: target.appending(path: "hub.sqlite").path))
        }
    }
}
