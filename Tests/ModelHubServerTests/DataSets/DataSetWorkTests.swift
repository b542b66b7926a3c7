import SightlineTestSupport
import Testing

@testable import ModelHubServer

/// The work for pages of a data set does not grow with its photos.
@Suite(.hangLimit)
struct DataSetWorkTests {
    /// The steps by which SQLite executes a statement.
    private func plan(_ statement: String) async throws -> [String] {
        try await withTemporaryFolder { folder in
            let database = try SQLiteDatabase(folder.appending(path: "hub.sqlite"))
            let key: Columns = ["id": 1, "last": 0, "limit": 60, "label": "red"]
            let plan = try await database.read { db in
                try db.rows("EXPLAIN QUERY PLAN \(statement)", key).map { try $0["detail"] as String }
            }
            try await database.close()
            return plan
        }
    }

    @Test(arguments: [PhotoFilter.all, .label("red"), .unlabeled, .undrawn, .doubtful])
    func aPageIsReadInTheOrderOfAnIndex(filter: PhotoFilter) async throws {
        let plan = try await plan(HubRecords.pageStatement(filter))
        #expect(!plan.isEmpty && !plan.contains { $0.contains("TEMP B-TREE") || $0.contains("SCAN") }, "\(plan)")
    }

    @Test func addedPhotosAreLookedUpOneByOne() async throws {
        let hash = try #require(BlobHash(String(repeating: "0", count: 64)))
        let plan = try await plan(HubRecords.knownStatement([hash, hash]))
        #expect(plan.count == 1 && plan.first?.contains("(dataSet=? AND hash=?)") == true, "\(plan)")
    }

    @Test func theNumbersAreReadFromAnIndexAlone() async throws {
        let plan = try await plan(HubRecords.countStatement)
        #expect(plan.count == 1 && plan.first?.contains("COVERING INDEX") == true, "\(plan)")
    }
}
