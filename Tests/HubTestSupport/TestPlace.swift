import Foundation
import ModelHubServer

/// Where the hubs of tests keep their records and files: in their folders, unless the environment names other places.
public struct TestPlace: Sendable {
    /// Whether `SIGHTLINE_TEST_DATABASE` is `postgres`: every hub has a database of its own on ``PostgresServer``.
    public let usesPostgres: Bool
    /// Whether `SIGHTLINE_TEST_BLOBS` is `s3`: every hub has a place of its own on ``StorageServer/moto``.
    public let usesS3: Bool

    /// The place of hubs in tests about no place in particular.
    public static let ofHubs: TestPlace = {
        let environment = ProcessInfo.processInfo.environment
        return TestPlace(
            usesPostgres: environment["SIGHTLINE_TEST_DATABASE"] == "postgres",
            usesS3: environment["SIGHTLINE_TEST_BLOBS"] == "s3"
        )
    }()

    /// The folder of the hub and nothing else.
    public static let folder = TestPlace(usesPostgres: false, usesS3: false)

    /// Calls `body` with the address of a new database, which goes afterwards; nil for a database in the hub's folder.
    public func withDatabase<Value>(_ body: (String?) async throws -> Value) async throws -> Value {
        guard usesPostgres else { return try await body(nil) }
        let server = try await PostgresServer.shared
        return try await server.withDatabase { try await body(server.address($0)) }
    }

    /// New stores of files for a hub with a folder.
    package func files(in folder: URL) async throws -> HubFiles {
        guard usesS3 else { return try .folder(folder) }
        let cache = HubFiles.Cache(folder: folder.appending(path: "cache"), byteLimit: 1 << 30)
        let location = try await StorageServer.moto.location()
        return try await .s3(location, credentials: StorageServer.credentials, data: folder, cache: cache)
    }

    /// The variables that lead `sightline-hub` to the records and files of the hub with a folder. They are the same for every
    /// program with that folder.
    public func environment(of folder: String) async throws -> [String: String] {
        usesPostgres || usesS3 ? try await Self.programs.environment(of: folder, in: self) : [:]
    }

    private static let programs = Programs()

    /// The places of hubs that programs open. They go with their servers.
    private actor Programs {
        private var environments: [String: Task<[String: String], any Error>] = [:]

        func environment(of folder: String, in place: TestPlace) async throws -> [String: String] {
            if let known = environments[folder] { return try await known.value }
            let making = Task {
                var environment: [String: String] = [:]
                if place.usesPostgres {
                    let server = try await PostgresServer.shared
                    environment["SIGHTLINE_HUB_DATABASE"] = server.address(try await server.createDatabase())
                }
                if place.usesS3 {
                    environment.merge(StorageServer.environment) { $1 }
                    environment["SIGHTLINE_HUB_BLOBS"] = try await StorageServer.moto.address()
                }
                return environment
            }
            environments[folder] = making
            return try await making.value
        }
    }
}
