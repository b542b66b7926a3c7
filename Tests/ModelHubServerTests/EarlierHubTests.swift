import Foundation
import GRDB
import HTTPTypes
import SightlineTestSupport
import Testing

@testable import ModelHubServer

/// A data folder of an earlier version: `Tests/Fixtures/hub`.
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
            let models = try await hub.metadata.models(of: caller.project.id, where: nil, after: 0, limit: 10)
            #expect(models.map(\.displayName) == ["plants", "broken"])
            let plants = try #require(models.first)
            #expect(plants.tags == ["b", "a"])
            #expect(try await hub.metadata.versions(of: plants.id).map(\.number) == [1, 2])
            #expect(try await hub.metadata.downloads(of: plants.id) == 1)
            let template = try await hub.metadata.template(nil, in: .client, of: caller.project.id)
            #expect(template?.json.contains("green") == true)
        }
    }

    @Test func itsKeysHaveTheRightsThatTheyHad() async throws {
        try await withEarlierHub { hub, _ in
            let keys = try await hub.credentials(of: .project("my-plants"), by: .local)
            #expect(keys.map(\.name) == ["ci", "ios"] && keys.map(\.role) == [.editor, .viewer])
            #expect(keys.allSatisfy { $0.expiry == nil && $0.useTime == nil && $0.parent == nil })
            // Deleting models is what the role admin allowed; managing keys is new.
            let identity = try await hub.identity(bearerToken: Self.token)
            #expect(identity.role(in: "my-plants") == .editor)
            await #expect(throws: HubError.self) {
                _ = try await hub.credentials(of: .project("my-plants"), by: identity)
            }
        }
    }

    @Test func theThresholdOfAModelBelongsToEachOfItsVersions() async throws {
        try await withTemporaryFolder { folder in
            let data = folder.appending(path: "data")
            try FileManager.default.copyItem(at: TestData.fixture("hub"), to: data)
            let queue = try DatabaseQueue(path: data.appending(path: "hub.sqlite").path)
            try await queue.write { db in
                try db.execute(sql: "UPDATE model SET confidenceThreshold = 0.25 WHERE displayName = 'plants'")
            }
            try queue.close()
            let clock = TestClock(Self.lastUse)
            let hub = try await Hub(data: data, validator: IdentifierValidator(), now: { clock.now })
            let caller = try await hub.caller(bearerToken: Self.token)
            let plants = try #require(try await hub.metadata.model(named: "plants", of: caller.project.id))
            #expect(plants.file?.confidenceThreshold == 0.25 && plants.aliases.isEmpty)
            let versions = try await hub.metadata.versions(of: plants.id)
            #expect(versions.map(\.confidenceThreshold) == [0.25, 0.25])
            #expect(versions.map(\.actor) == ["", ""])
            let back = try await hub.promote(plants.id, to: 1, by: caller)
            #expect(back.file?.version == 1 && back.file?.confidenceThreshold == 0.25)
        }
    }

    /// The clean-up records it as stored now, since the earlier version kept no record of it.
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

    @Test func aDatabaseOfALaterVersionIsNotOpened() async throws {
        try await withEarlierHub { _, folder in
            let file = folder.appending(path: "hub.sqlite")
            let database = try SQLiteDatabase(file)
            try await database.write { db in
                _ = try db.insert(["identifier": "1000: the future"], into: "grdb_migrations")
            }
            try await database.close()
            let error = #expect(throws: HubError.self) { _ = try SQLiteDatabase.open(file) }
            #expect(error?.message.contains("newer hub") == true)
        }
    }
}
