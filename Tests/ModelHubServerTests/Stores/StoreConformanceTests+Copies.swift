import Foundation
import GRDB
import SightlineTestSupport
import Synchronization
import Testing

@testable import ModelHubServer

/// Copies of all records, from and to each ``StoreBackend``.
extension StoreConformanceTests {
    @Test func everyTableBelongsToACopy() throws {
        try withTemporaryFolder { folder in
            let file = folder.appending(path: "hub.sqlite")
            _ = try SQLiteDatabase(file)
            let names = try DatabaseQueue(path: file.path).read { db in
                try String.fetchSet(db, sql: "SELECT name FROM sqlite_master WHERE type = 'table'")
            }
            let own = names.filter { !$0.hasPrefix("sqlite_") && $0 != "grdb_migrations" }
            #expect(own.subtracting(HubSchema.copiedTables.map(\.name)) == Self.tablesOfAHubThatServes)
        }
    }

    /// Uploads that did not end stay where their pieces are.
    private static let tablesOfAHubThatServes: Set<String> = ["upload"]

    @Test(arguments: StoreBackend.allCases)
    func allRecordsMoveToAnotherStoreAndBack(_ backend: StoreBackend) async throws {
        try await backend.with { stores in
            let original = try records(of: "original", in: stores.folder)
            try await stores.records.takeOver(recordsIn: original)
            let copy = stores.folder.appending(path: "copy.sqlite")
            try await stores.records.backUp(to: copy)
            let (before, after) = (try rows(of: original), try rows(of: copy))
            #expect(before["model"]?.count == 2)
            for table in HubSchema.copiedTables { #expect(before[table.name] == after[table.name], "\(table.name)") }
        }
    }

    @Test(arguments: StoreBackend.allCases)
    func aStoreWithAProjectTakesOverNothing(_ backend: StoreBackend) async throws {
        try await backend.with { stores in
            _ = try await stores.project("mine")
            let original = try records(of: "original", in: stores.folder)
            await #expect(throws: HubError.self) { try await stores.records.takeOver(recordsIn: original) }
            #expect(try await stores.records.projects().map(\.id) == ["mine"])
        }
    }

    @Test(arguments: StoreBackend.allCases)
    func aCopyAssignsNoIDOfADeletedModel(_ backend: StoreBackend) async throws {
        try await withTemporaryFolder { folder in
            let source = HubRecords(try SQLiteDatabase(folder.appending(path: "hub.sqlite")))
            let project = try await source.insert(Project(id: "my-plants", createTime: .now), audit: .test)
            let last = try await source.insert(.test("last"), version: nil, audit: .test)
            _ = try await source.deleteModel(last.id, of: project.id, at: .now, audit: .test)
            let records = folder.appending(path: "records.sqlite")
            try await source.backUp(to: records)
            try await backend.with { stores in
                try await stores.records.takeOver(recordsIn: records)
                let next = try await stores.records.insert(.test("next"), version: nil, audit: .test)
                #expect(next.id > last.id)
            }
        }
    }

    @Test(arguments: StoreBackend.allCases)
    func aHubMovesWithItsFilesAndBack(_ backend: StoreBackend) async throws {
        try await withEarlierHub { hub in
            try await backend.with { stores in
                let other = try await stores.hub()
                let copy = try await hub.copy(to: other)
                #expect(copy.copiedFiles == 4)
                #expect(try await other.verify(readingFiles: false) == copy.verification)
                #expect(try await other.verify().problems == [])
                #expect(try await other.projects() == hub.projects())
                let returned = try await Hub(
                    data: stores.folder.appending(path: "returned"),
                    validator: IdentifierValidator()
                )
                _ = try await other.copy(to: returned)
                #expect(try await returned.verify() == other.verify())
                await #expect(throws: HubError.self) { try await hub.copy(to: other) }
            }
        }
    }

    @Test func aCopyListsTheFilesOfItsTargetOnce() async throws {
        try await withEarlierHub { hub in
            try await StoreBackend.folder.with { stores in
                let blobs = ListedBlobStore(files: stores.blobs)
                let other = try await Hub(
                    records: stores.records,
                    blobs: blobs,
                    evaluationFiles: stores.evaluationFiles,
                    validator: IdentifierValidator(),
                    uploads: stores.folder.appending(path: "uploads")
                )
                #expect(try await hub.copy(to: other).verification.problems == [])
                #expect(blobs.count.withLock { $0 } == 1)
            }
        }
    }

    @Test(arguments: StoreBackend.allCases)
    func anInterruptedCopyContinues(_ backend: StoreBackend) async throws {
        try await withEarlierHub { hub in
            try await backend.with { stores in
                let other = try await stores.hub()
                let copying = Task {
                    try await hub.copy(to: other) { done, _ in
                        if done == 2 { withUnsafeCurrentTask { $0?.cancel() } }
                    }
                }
                await #expect(throws: CancellationError.self) { try await copying.value }
                #expect(try await other.projects().isEmpty)
                #expect(try await hub.copy(to: other).copiedFiles == 2)
                #expect(try await other.verify().problems == [])
            }
        }
    }

    @Test(arguments: StoreBackend.allCases)
    func aDamagedFileEndsACopy(_ backend: StoreBackend) async throws {
        try await withEarlierHub { hub in
            let hash = try #require(try await hub.records.referencedBlobs().keys.first)
            let file = try #require(hub.blobs as? FileBlobStore).path(of: hash)
            try Data("damaged".utf8).write(to: file)
            try await backend.with { stores in
                let other = try await stores.hub()
                await #expect(throws: HubError.self) { try await hub.copy(to: other) }
                #expect(try await other.projects().isEmpty)
            }
        }
    }

    /// Calls `body` with a hub on a copy of an earlier hub's folder.
    private func withEarlierHub(_ body: (Hub) async throws -> Void) async throws {
        try await withTemporaryFolder { folder in
            let data = folder.appending(path: "data")
            try FileManager.default.copyItem(at: TestData.fixture("hub"), to: data)
            try await body(try await Hub(data: data, validator: IdentifierValidator()))
        }
    }

    /// The records of an earlier hub, migrated, in a file.
    private func records(of name: String, in folder: URL) throws -> URL {
        let file = folder.appending(path: "\(name).sqlite")
        try FileManager.default.copyItem(at: TestData.fixture("hub/hub.sqlite"), to: file)
        _ = try SQLiteDatabase(file)
        return file
    }

    /// All rows of a file by table, each as text, in the order of their keys.
    private func rows(of file: URL) throws -> [String: [String]] {
        try DatabaseQueue(path: file.path).read { db in
            try Dictionary(
                uniqueKeysWithValues: HubSchema.copiedTables.map { table in
                    let key = table.key.joined(separator: ", ")
                    let rows = try Row.fetchAll(db, sql: "SELECT * FROM \(table.name) ORDER BY \(key)")
                    return (table.name, rows.map(\.description))
                }
            )
        }
    }
}

/// A store that counts how often its files are listed.
private final class ListedBlobStore: BlobStore {
    let files: any BlobStore
    let count = Mutex(0)

    init(files: any BlobStore) { self.files = files }

    func contents() async throws -> [StoredBlob] {
        count.withLock { $0 += 1 }
        return try await files.contents()
    }

    func store(fileAt url: URL, as hash: BlobHash) async throws { try await files.store(fileAt: url, as: hash) }
    func open(_ hash: BlobHash) async throws -> StoredFile { try await files.open(hash) }
    func remove(_ hash: BlobHash) async throws { try await files.remove(hash) }
}
