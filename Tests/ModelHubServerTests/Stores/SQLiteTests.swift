import Foundation
import GRDB
import SightlineTestSupport
import Testing

@testable import ModelHubServer

/// The promises of a hub's records in SQLite beyond those of every store.
@Suite(.hangLimit)
struct SQLiteTests {
    /// A command of a later version migrates the records of a serving hub, whose queries are prepared.
    @Test func queriesGoOnAfterAnotherProcessAddsColumnsAndTables() async throws {
        try await withTemporaryFolder { folder in
            let file = folder.appending(path: "hub.sqlite")
            let database = try SQLiteDatabase(file)
            let store = HubRecords(database)
            _ = try await store.insert(Project(id: "my-plants", createTime: .now), audit: .test)
            let query = "SELECT * FROM project ORDER BY id"

            /// The ids of projects by every connection: the readers, the writer, and that of look-ups.
            func ids() async throws -> Set<[String]> {
                @Sendable func list(_ db: any SQLTransaction) throws -> [String] {
                    try db.rows(query).map { try $0["id"] }
                }
                var found = Set(try await eightAtOnce { _ in try await database.read { try list($0) } })
                found.insert(try await database.write { try list($0) })
                found.insert(try await database.lookUp { try list($0) })
                return found
            }

            for _ in 0..<3 {
                let known = try await ids()
                #expect(known == [["my-plants"]])
            }
            let other = try DatabaseQueue(path: file.path)
            try await other.write { db in
                try db.execute(
                    sql: """
                        ALTER TABLE project ADD COLUMN later TEXT NOT NULL DEFAULT 'x';
                        CREATE TABLE later (id TEXT PRIMARY KEY);
                        CREATE INDEX laterOfProject ON project (later);
                        """
                )
            }
            try other.close()
            for _ in 0..<3 {
                let known = try await ids()
                #expect(known == [["my-plants"]])
            }
            _ = try await store.insert(Project(id: "other", createTime: .now), audit: .test)
            let projects = try await store.projects()
            #expect(Set(projects.map(\.id)) == ["my-plants", "other"])
            let last = try await ids()
            #expect(last == [["my-plants", "other"]])
        }
    }

    /// Results of look-ups stay in memory, but not beyond a change, even if a command in another process made it.
    @Test func aLookUpSeesTheChangeOfAnotherConnectionAtOnce() async throws {
        try await withTemporaryFolder { folder in
            let file = folder.appending(path: "hub.sqlite")
            let serving = HubRecords(try SQLiteDatabase(file))
            let command = HubRecords(try SQLiteDatabase(file))
            _ = try await serving.insert(Project(id: "my-plants", createTime: .now), audit: .test)
            for number in 0..<20 {
                let key = Credential(
                    id: "key-\(number)",
                    project: "my-plants",
                    kind: .apiKey,
                    role: .viewer,
                    name: "app",
                    secretHash: [UInt8(number)],
                    createTime: .now
                )
                try await serving.insert(key, audit: .test)
                for _ in 0..<3 {
                    let found = try await serving.configuration(apiKeyHash: [UInt8(number)])
                    #expect(found?.key.id == key.id)
                }
                _ = try await command.revoke(credential: key.id, of: .project("my-plants"), at: .now, audit: .test)
                #expect(try await serving.configuration(apiKeyHash: [UInt8(number)]) == nil)
            }
        }
    }
}
