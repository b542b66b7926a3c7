import Foundation
import HubTestSupport
import SightlineTestSupport
import Testing

@testable import ModelHubServer

/// The promises of a hub's records in PostgreSQL beyond those of every store.
@Suite(.hangLimit, .enabled(if: PostgresServer.programs != nil, PostgresServer.missing))
struct PostgresTests {
    /// Calls `body` with an empty database and its address.
    private func withDatabase(
        _ body: (PostgresDatabase, PostgresAddress, PostgresServer) async throws -> Void
    ) async throws {
        let server = try await PostgresServer.shared
        try await server.withDatabase { name in
            let address = try PostgresAddress(server.address(name))
            let database = try await PostgresDatabase(address)
            try await body(database, address, server)
            try await database.close()
        }
    }

    @Test func valuesReturnAsTheyWere() async throws {
        try await withDatabase { database, _, _ in
            let row = try await database.read { db in
                try db.row(
                    """
                    SELECT :text AS text, :empty AS empty, :bytes AS bytes, :number AS number, :real AS real, :truth AS truth,
                        CAST(:nothing AS TEXT) AS nothing, ':text' AS quoted -- :comment
                    """,
                    [
                        "text": "a 'b' \\ ü 日本 🌱", "empty": "", "bytes": Data([0, 255, 39]), "number": Int64.min,
                        "real": -0.1, "truth": true, "nothing": nil as String?,
                    ]
                )
            }
            let found = try #require(row)
            #expect(try found["text"] as String == "a 'b' \\ ü 日本 🌱")
            #expect(try found["empty"] as String == "")
            #expect(try found["bytes"] as Data == Data([0, 255, 39]))
            #expect(try found["number"] as Int64 == Int64.min)
            #expect(try found["real"] as Double == -0.1)
            #expect(try found["truth"] as Bool == true)
            #expect(try found["nothing"] as String? == nil)
            #expect(try found["quoted"] as String == ":text")
        }
    }

    /// A process that exits while a thread uses a connection can crash, so commands end their connections first.
    @Test func aCommandLeavesNoConnectionToItsEnd() async throws {
        let server = try await PostgresServer.shared
        try await server.withDatabase { name in
            try await withTemporaryFolder { folder in
                let place = ["--data", folder.path, "--database", server.address(name)]
                for (words, status) in [
                    (["project", "create", "my-plants"], Int32(0)), (["list"], 0), (["show", "nothing"], 2),
                    (["verify"], 0),
                ] {
                    let result = try await HubProgram.run(words + place, place: .folder)
                    #expect(result.status == status, "\(result.errors)")
                }
            }
            let database = try await PostgresDatabase(try PostgresAddress(server.address(name)))
            func count(_ sql: String) async throws -> Int? {
                try await database.read { db in try db.value(Int.self, sql) }
            }
            let others = """
                SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()
                    AND query NOT LIKE 'LISTEN%' AND query NOT LIKE '%clock_timestamp%'
                """
            try await wait(while: { try await count(others) ?? 0 > 0 })
            let abandoned = "SELECT sessions_abandoned FROM pg_stat_database WHERE datname = current_database()"
            #expect(try await count(abandoned) == 0)
            try await database.close()
        }
    }

    @Test func aZeroCharacterIsRefused() async throws {
        try await withDatabase { database, _, _ in
            let error = await #expect(throws: HubError.self) {
                try await database.write { db in _ = try db.insert(["name": "a\0b"], into: "migration") }
            }
            #expect(error?.code == .invalidArgument)
        }
    }

    @Test func aFailedTransactionChangesNothing() async throws {
        struct Stop: Error {}
        try await withDatabase { database, _, _ in
            await #expect(throws: Stop.self) {
                try await database.write { db in
                    try db.insert(["name": "half"], into: "migration")
                    throw Stop()
                }
            }
            // A statement's failure that a body ignores undoes the transaction too.
            await #expect(throws: HubError.self) {
                try await database.write { db in
                    try db.insert(["name": "half"], into: "migration")
                    _ = try? db.rows("SELECT nonsense")
                }
            }
            let count = try await database.read { db in
                try db.value(Int.self, "SELECT count(*) FROM migration WHERE name = 'half'")
            }
            #expect(count == 0)
        }
    }

    @Test func severalHubsMayCreateTheTablesAtOnce() async throws {
        let server = try await PostgresServer.shared
        try await server.withDatabase { name in
            let address = try PostgresAddress(server.address(name))
            _ = try await eightAtOnce { _ in try await PostgresDatabase(address).close() }
        }
    }

    @Test func aDatabaseOfALaterVersionIsNotOpened() async throws {
        try await withDatabase { database, address, _ in
            try await database.write { db in _ = try db.insert(["name": "1000: the future"], into: "migration") }
            let error = await #expect(throws: HubError.self) { _ = try await PostgresDatabase(address) }
            #expect(error?.code == .failedPrecondition)
            #expect(error?.message.contains("newer hub") == true)
        }
    }

    /// The server ends all connections, as it does when it restarts; the next calls use new ones.
    @Test func aLostConnectionIsReplaced() async throws {
        try await withDatabase { database, address, server in
            let store = HubRecords(database)
            _ = try await eightAtOnce { _ in try await store.projects() }
            let end =
                "SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity WHERE application_name = 'sightline-hub' AND datname = current_database() AND pid <> pg_backend_pid()"
            let other = PostgresConnection(address)
            _ = try await other.run(in: nil) { db in try db.rows(end) }
            await other.close()
            let projects = try await eightAtOnce { number in
                try await store.insert(Project(id: "project-\(number)", createTime: .now), audit: .test).id
            }
            #expect(Set(projects).count == 8)
        }
    }

    @Test(arguments: [
        "postgres://ada:sec/ret@127.0.0.1/hub", "postgres://ada:sec@ret@127.0.0.1/hub",
        "postgres://ada:sec?ret@127.0.0.1/hub", "postgres://ada:secret/hub", "postgres://[::1]:secret/hub",
    ])
    func anAddressWhosePasswordWouldBeTakenForAHostIsRefusedWithoutIt(_ text: String) {
        let error = #expect(throws: HubError.self) { _ = try PostgresAddress(text) }
        #expect(error?.message.contains("give the password in PGPASSWORD") == true)
        #expect(error?.message.contains("sec") == false && error?.message.contains("ret") == false)
    }

    @Test func thePartsOfAnAddressThatAreShownAreNotSecret() throws {
        let text = "postgresql://ada:a%40secret@[::1]:5433,db.example.org/hub?sslmode=verify-full&sslpassword=other"
        let address = try PostgresAddress(text)
        #expect("\(address)" == "postgres://[::1]:5433,db.example.org/hub")
        #expect(address.redacted("no a%40secret, a@secret or other at db.example") == "no …, … or … at db.example")
        #expect(address.settings.contains { $0.name == "dbname" && $0.value == text })
    }

    /// In a rolling upgrade, the first hub of a later version changes the tables while the others serve.
    @Test func aHubGoesOnWhenALaterHubAddsAColumn() async throws {
        try await withDatabase { database, address, _ in
            let store = HubRecords(database)
            // Each connection prepares its statements.
            _ = try await eightAtOnce { _ in try await store.projects() }
            let later = PostgresConnection(address)
            _ = try await later.run(in: nil) { db in try db.change("ALTER TABLE project ADD COLUMN later TEXT") }
            await later.close()
            let projects = try await eightAtOnce { number in
                let project = Project(id: "project-\(number)", createTime: .now)
                _ = try await store.insert(project, audit: .test)
                return try await store.projects().contains { $0.id == project.id }
            }
            #expect(projects.allSatisfy { $0 })
        }
    }

    @Test(arguments: [
        ("ALTER TABLE audit DROP COLUMN event", "the table audit lacks the column event"),
        ("ALTER TABLE project ADD COLUMN later TEXT", "the table project has an unknown column later"),
        ("DROP INDEX auditOfProject", "the table audit lacks the index auditofproject"),
        (
            "ALTER TABLE model DROP CONSTRAINT model_project_displayname_key",
            "lacks the index of (project, displayname)"
        ),
        ("ALTER TABLE audit ALTER COLUMN number TYPE TEXT", "the column number of the table audit is another"),
        ("ALTER TABLE audit ALTER COLUMN hash DROP NOT NULL", "the column hash of the table audit is another"),
    ])
    func aDatabaseWithOtherTablesIsRefused(change: String, words: String) async throws {
        try await withDatabase { _, address, _ in
            let later = PostgresConnection(address)
            _ = try await later.run(in: nil) { db in try db.change(change) }
            await later.close()
            let error = await #expect(throws: HubError.self) { _ = try await PostgresDatabase(address) }
            #expect(error?.code == .failedPrecondition)
            #expect(error?.message.contains(words) == true, "\(error?.message ?? "")")
        }
    }

    @Test func aDatabaseWithTheTablesOfItsVersionIsOpenedAgain() async throws {
        try await withDatabase { _, address, _ in try await PostgresDatabase(address).close() }
    }

    @Test func theTimeIsThatOfTheServer() async throws {
        try await withDatabase { database, address, _ in
            let other = PostgresConnection(address)
            let before = try await other.time()
            let time = database.now()
            let after = try await other.time()
            await other.close()
            // The server's time may have been read a moment before the clock of this process.
            let tolerance = Duration.seconds(1)
            #expect(before.advanced(by: .zero - tolerance) < time && time < after.advanced(by: tolerance))
        }
    }

    @Test func theClockGoesOnFromTheTimeOfTheServer() {
        let clock = DatabaseClock(Timestamp(milliseconds: 1_000_000), at: .now - .seconds(60))
        let passed = clock.now.milliseconds - 1_000_000
        #expect((60_000..<90_000).contains(passed))
        clock.set(Timestamp(milliseconds: 5000), at: .now)
        #expect((5000..<35_000).contains(clock.now.milliseconds))
    }

    @Test func anUnreachableServerIsNamedWithoutThePassword() async throws {
        let (listener, port) = try Loopback.listener()
        close(listener)
        let address = try PostgresAddress("postgres://ada:secret@127.0.0.1:\(port)/hub?sslmode=disable")
        let error = await #expect(throws: HubError.self) { _ = try await PostgresDatabase(address) }
        #expect(error?.code == .unavailable)
        #expect(error?.message.contains("postgres://127.0.0.1:\(port)/hub") == true)
        #expect(error?.message.contains("secret") == false)
    }
}
