import Crypto
import Foundation
import HubTestSupport
import NIOCore
import SightlineTestSupport
import Synchronization
import Testing

@testable import ModelHubServer

/// The stores that a hub can use. ``StoreConformanceTests`` runs every test on each: another backend is another case.
enum StoreBackend: String, CaseIterable, CustomTestStringConvertible {
    /// A SQLite database and a folder, as in a hub's data folder.
    case folder
    /// A SQLite database, and files that are not on this machine.
    case remoteFiles
    /// A PostgreSQL database, and a folder.
    case postgres

    /// The backends that this machine can test; ``PostgresTests`` names the reason for a missing server.
    static var allCases: [StoreBackend] {
        PostgresServer.programs == nil ? [.folder, .remoteFiles] : [.folder, .remoteFiles, .postgres]
    }

    var testDescription: String { rawValue }

    /// Calls `body` with new, empty stores.
    func with(_ body: (Stores) async throws -> Void) async throws {
        let kind: TestDatabase = self == .postgres ? .postgres : .sqlite
        try await withTemporaryFolder { folder in
            try await kind.with(in: folder) { database, _ in
                let blobs: any BlobStore =
                    switch self {
                    case .folder, .postgres: try FileBlobStore(folder: folder.appending(path: "blobs"))
                    case .remoteFiles: RemoteBlobStore()
                    }
                try await body(
                    Stores(
                        records: HubRecords(database),
                        blobs: blobs,
                        evaluationFiles: FolderEvaluationFileStore(folder: folder.appending(path: "evaluations")),
                        folder: folder
                    )
                )
            }
        }
    }
}

/// The stores of a hub.
struct Stores: Sendable {
    let records: HubRecords
    let blobs: any BlobStore
    let evaluationFiles: any EvaluationFileStore
    /// A folder on the file system of the stores.
    let folder: URL

    /// A hub with these stores.
    func hub(now: @escaping @Sendable () -> Timestamp = { .now }) async throws -> Hub {
        try await Hub(
            records: records,
            blobs: blobs,
            evaluationFiles: evaluationFiles,
            validator: IdentifierValidator(),
            uploads: folder.appending(path: "uploads"),
            now: now
        )
    }

    /// Writes a file that a store can take over.
    func file(_ data: Data) throws -> URL {
        let url = folder.appending(path: UUID().uuidString)
        try data.write(to: url)
        return url
    }

    /// A project in the records.
    func project(_ id: String = "my-plants", quota: Int? = nil) async throws -> Project {
        try await records.insert(Project(id: id, createTime: .now, quota: quota), audit: .test)
    }

    /// A file as if it were stored, and its record.
    func storedObject(_ name: String, byteCount: Int = 100, in project: String = "my-plants") async throws
        -> StorageObject
    {
        let object = StorageObject.test(name, byteCount: byteCount, in: project)
        _ = try await records.claim(StoredBlob(hash: object.hash, byteCount: byteCount), at: .now)
        try await records.put(object, upload: nil, audit: .test)
        return object
    }
}

extension AuditEntry {
    static var test: AuditEntry {
        AuditEntry(time: .now, project: "my-plants", actor: "test", action: "test", target: "")
    }
}

extension BlobHash {
    /// The hash of a text.
    static func test(_ text: String) throws -> BlobHash {
        try #require(BlobHash(SHA256.hash(data: Data(text.utf8)).map { String(format: "%02x", $0) }.joined()))
    }
}

extension StorageObject {
    static func test(_ name: String, byteCount: Int = 100, in project: String = "my-plants") -> StorageObject {
        StorageObject(
            project: project,
            bucket: "bucket",
            name: name,
            hash: BlobHash(SHA256.hash(data: Data(name.utf8))),
            byteCount: byteCount,
            crc32c: "",
            md5: "",
            contentType: "text/plain",
            createTime: .now
        )
    }
}

/// Calls `body` eight times at once, with the numbers from 0 to 7, and gives the results in any order.
func eightAtOnce<Value: Sendable>(_ body: @escaping @Sendable (Int) async throws -> Value) async throws -> [Value] {
    try await withThrowingTaskGroup(of: Value.self) { group in
        for number in 0..<8 { group.addTask { try await body(number) } }
        return try await group.reduce(into: []) { $0.append($1) }
    }
}

/// A store without local files: it keeps them in memory.
final class RemoteBlobStore: BlobStore {
    private let files = Mutex<[BlobHash: Data]>([:])

    func store(fileAt url: URL, as hash: BlobHash) async throws {
        let data = try Data(contentsOf: url)
        files.withLock { $0[hash] = data }
        try FileManager.default.removeItem(at: url)
    }

    func open(_ hash: BlobHash) async throws -> StoredFile {
        guard let data = files.withLock({ $0[hash] }) else { throw HubError(.dataLoss, "missing") }
        return StoredFile(byteCount: data.count) { range in
            StoredFile.Bytes { continuation in
                // In small pieces, so that readers meet several.
                for start in stride(from: range.lowerBound, to: range.upperBound, by: 1000) {
                    continuation.yield(ByteBuffer(bytes: data[start..<min(start + 1000, range.upperBound)]))
                }
                continuation.finish()
            }
        }
    }

    func remove(_ hash: BlobHash) async throws { files.withLock { _ = $0.removeValue(forKey: hash) } }

    func contents() async throws -> [StoredBlob] {
        files.withLock { $0.map { StoredBlob(hash: $0.key, byteCount: $0.value.count) } }
    }
}
