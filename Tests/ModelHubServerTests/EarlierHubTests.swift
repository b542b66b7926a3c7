import Foundation
import GRDB
import HTTPTypes
import HubTestSupport
import SightlineTestSupport
import Testing

@testable import ModelHubServer

/// A data folder of version 0.1.0: `Tests/Fixtures/hub`.
@Suite(.hangLimit)
struct EarlierHubTests {
    /// A minute after the last change of the hub.
    private static let lastUse = Timestamp(milliseconds: 1_795_374_320_000)
    private static let token = "slt_kniXDpaPsBuCmLpZwr7x1lTjP_ynWE_zvOVpZe1CpDM"

    /// Calls `body` with a hub on a copy of the folder.
    private func withEarlierHub(
        _ clock: TestClock = TestClock(Self.lastUse),
        _ body: (Hub, URL) async throws -> Void
    ) async throws {
        try await withTemporaryFolder { folder in
            let data = folder.appending(path: "data")
            try FileManager.default.copyItem(at: TestData.fixture("hub"), to: data)
            try await body(try await Hub(data: data, validator: IdentifierValidator(), now: { clock.now }), data)
        }
    }

    @Test func allRecordsAndFilesAreIntact() async throws {
        try await withEarlierHub { hub, _ in
            #expect(try await hub.verify() == Verification(intactFiles: 5, unreferencedFiles: 1, problems: []))
            let caller = try await hub.caller(bearerToken: Self.token)
            let models = try await hub.records.models(of: caller.project.id, where: nil, after: 0, limit: 10)
            #expect(models.map(\.displayName) == ["plants", "broken"])
            let plants = try #require(models.first)
            #expect(plants.tags == ["b", "a"])
            #expect(try await hub.records.versions(of: plants.id).map(\.number) == [1, 2])
            #expect(try await hub.records.downloads(of: plants.id) == 1)
            let template = try await hub.records.template(nil, in: .client, of: caller.project.id)
            #expect(template?.json.contains("green") == true)
        }
    }

    @Test func aFileInItsGracePeriodGoesLater() async throws {
        let clock = TestClock(Self.lastUse)
        try await withEarlierHub(clock) { hub, _ in
            let early = try await hub.cleanUp()
            #expect(early == CleanUp(objects: 0, blobs: 0))
            clock.advance(by: .seconds(25 * 3600))
            let late = try await hub.cleanUp()
            #expect(late == CleanUp(objects: 0, blobs: 1))
            #expect(try await hub.verify() == Verification(intactFiles: 4, unreferencedFiles: 0, problems: []))
        }
    }

    /// The next version is simulated: it has one more migration, of a table that is new and of one that has records.
    @Test func theNextVersionGoesOnWithTheRecordsAndThisVersionThenRefusesThem() async throws {
        let next = Migration(
            name: "1000.0.0",
            statements: """
                CREATE TABLE ofTheNextVersion (key {text} PRIMARY KEY, value {bytes} NOT NULL) {keyed};
                ALTER TABLE model ADD COLUMN ofTheNextVersion {int};
                CREATE INDEX modelOfTheNextVersion ON model (ofTheNextVersion);
                """
        )
        try await withTemporaryFolder { folder in
            let file = folder.appending(path: "hub.sqlite")
            try FileManager.default.copyItem(at: TestData.fixture("hub").appending(path: "hub.sqlite"), to: file)
            let before = try await Self.records(file)
            // The second time, the database is that of the next version already.
            for _ in 1...2 {
                let database = try SQLiteDatabase(file, migrations: HubSchema.migrations + [next])
                #expect(try await database.damage() == [])
                try await database.close()
            }
            let after = try await Self.records(file)
            #expect(after.filter { before[$0.key] != nil } == before)
            #expect(after["ofTheNextVersion"] == 0)
            #expect(after["dataSet"] == 0 && after["photo"] == 0 && after["training"] == 0)

            let error = #expect(throws: HubError.self) { _ = try SQLiteDatabase.open(file) }
            #expect(error?.message.contains("was written by a newer hub") == true)
            #expect(try await Self.records(file) == after)
            try await SQLiteDatabase(file, migrations: HubSchema.migrations + [next]).close()
        }
    }

    @Test(.enabled(if: PostgresServer.programs != nil, PostgresServer.missing))
    func aPostgreSQLDatabaseOfVersion010KeepsItsRecordsAndGetsTheNewTables() async throws {
        let first = try #require(HubSchema.migrations.first)
        let records = """
            INSERT INTO project (id, number, createTime, requiresInstallation) VALUES ('old', 7, 1000, false);
            INSERT INTO audit (time, project, actor, action, target, detail, number, previous, hash)
                VALUES (1000, 'old', 'test', 'project.create', '', '', 1, '', 'x');
            """
        let earlier = Migration(name: first.name, statements: "\(first.statements)\n\(records)")
        let server = try await PostgresServer.shared
        try await server.withDatabase { name in
            let address = try PostgresAddress(server.address(name))
            try await Self.migrate([earlier], address)
            // The second time, the database is that of this version already.
            for _ in 1...2 {
                let database = try await PostgresDatabase(address)
                let hub = HubRecords(database)
                #expect(try await hub.project("old")?.id == "old")
                #expect(try await hub.dataSets(of: "old").isEmpty)
                #expect(try await hub.trainings(of: "old").isEmpty)
                let entries = try await database.read { db in try db.value(Int.self, "SELECT count(*) FROM audit") }
                #expect(entries == 1)
                try await database.close()
            }
            // The earlier version then refuses it.
            let error = await #expect(throws: HubError.self) { try await Self.migrate([earlier], address) }
            #expect(error?.message.contains("was written by a newer hub") == true)
        }
    }

    /// Executes migrations as a hub that has these alone.
    private static func migrate(_ migrations: [Migration], _ address: PostgresAddress) async throws {
        let connection = PostgresConnection(address)
        try await connection.migrate(migrations, in: address)
        await connection.close()
    }

    /// The number of records of each table of a database.
    private static func records(_ file: URL) async throws -> [String: Int] {
        let queue = try DatabaseQueue(path: file.path)
        defer { try? queue.close() }
        return try await queue.read { db in
            let tables = try String.fetchAll(
                db,
                sql: "SELECT name FROM sqlite_schema WHERE type = 'table' AND name <> 'grdb_migrations'"
            )
            return try Dictionary(
                uniqueKeysWithValues: tables.map { table in
                    (table, try Int.fetchOne(db, sql: "SELECT count(*) FROM \(table)") ?? 0)
                }
            )
        }
    }

    @Test(arguments: ["1000.0.0", "1: projects, credentials, models, objects, audit"])
    func aDatabaseOfAnUnknownVersionIsNeitherOpenedNorChanged(version: String) async throws {
        try await withTemporaryFolder { folder in
            let file = folder.appending(path: "hub.sqlite")
            let queue = try DatabaseQueue(path: file.path)
            try await queue.write { db in
                try db.execute(sql: "CREATE TABLE grdb_migrations (identifier TEXT NOT NULL PRIMARY KEY)")
                try db.execute(sql: "INSERT INTO grdb_migrations VALUES (?)", arguments: [version])
            }
            try queue.close()
            let error = #expect(throws: HubError.self) { _ = try SQLiteDatabase.open(file) }
            #expect(error?.message.contains("written by a newer hub, or before version 0.1.0") == true)
            let tables = try await DatabaseQueue(path: file.path).read { db in
                try String.fetchAll(db, sql: "SELECT name FROM sqlite_master WHERE type = 'table'")
            }
            #expect(tables == ["grdb_migrations"])
        }
    }
}
