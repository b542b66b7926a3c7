import Foundation
import HubTestSupport
import SightlineTestSupport
import Testing

@testable import ModelHubServer

/// The places where a hub can keep its files. ``FileStoreTests`` runs every test on each.
enum FileBackend: String, CaseIterable, CustomTestStringConvertible {
    case folder
    /// S3-compatible storage behind a cache.
    case moto
    case nanio
    /// S3-compatible storage without a cache, as commands use it.
    case uncached

    /// The places that are available here.
    static let available = allCases.filter { $0.server?.isInstalled ?? true }

    /// Those whose open files stay readable after their removal.
    static let withCopies = available.filter { $0 != .uncached }

    var testDescription: String { rawValue }

    private var server: StorageServer? {
        switch self {
        case .folder: nil
        case .moto, .uncached: .moto
        case .nanio: .nanio
        }
    }

    /// Calls `body` with new, empty stores and a folder on their file system.
    func with(_ body: (HubFiles, URL) async throws -> Void) async throws {
        try await withTemporaryFolder { folder in
            try await body(try await files(in: folder), folder)
        }
    }

    /// Opens new, empty stores with a folder.
    func files(in folder: URL) async throws -> HubFiles {
        guard let server else { return try .folder(folder) }
        let cache = HubFiles.Cache(folder: folder.appending(path: "cache"), byteLimit: 1 << 30)
        return try await .s3(try await server.client(), data: folder, cache: self == .uncached ? nil : cache)
    }
}

/// Writes a file that a store can take over.
func makeFile(_ data: Data, in folder: URL) throws -> URL {
    let url = folder.appending(path: UUID().uuidString)
    try data.write(to: url)
    return url
}

extension BlobHash {
    /// The hash of a file.
    init(of data: Data) throws { self = try #require(BlobHash(sha256(data))) }
}

/// The bytes of a file, or of a part.
func bytes(of file: StoredFile, _ range: Range<Int>? = nil) async throws -> Data {
    var data = Data()
    for try await piece in file.bytes(in: range ?? 0..<file.byteCount) { data += piece.readableBytesView }
    return data
}

extension StorageServer {
    /// A client for a new place. Its limits are those of tests which do not look at it.
    func client() async throws -> S3Client { S3Client(try await location(), Self.credentials, limits: .ofTests) }
}

extension S3Client.Limits {
    /// So long that a busy machine causes no failure.
    static var ofTests: Self {
        var limits = Self()
        (limits.silence, limits.attempt, limits.total) = (.seconds(120), .seconds(120), .seconds(240))
        return limits
    }
}
