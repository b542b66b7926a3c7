import AsyncHTTPClient
import Foundation
import HubTestSupport
import ModelHubServer
import SightlineTestSupport
import Testing

/// The commands on a hub with its files in storage.
@Suite(.hangLimit)
struct StorageCommandTests {
    private static let model = TestData.fixture("models/classifier_float.tflite").path

    @Test(arguments: StorageServer.available)
    func aHubKeepsItsFilesInABucket(_ server: StorageServer) async throws {
        let address = try await server.address()
        try await withTemporaryFolder { folder in
            let data = folder.appending(path: "hub")
            let environment = StorageServer.environment.merging([
                "SIGHTLINE_HUB_DATA": data.path, "SIGHTLINE_HUB_BLOBS": address,
            ]) { $1 }
            func run(_ arguments: String...) async throws -> HubProgram.Result {
                try await HubProgram.run(arguments, environment: environment)
            }
            #expect(try await run("project", "create", "my-plants").status == 0)
            let published = try await run("publish", "plants", Self.model)
            #expect(published.status == 0, "\(published.errors)")
            #expect(!FileManager.default.fileExists(atPath: data.appending(path: "blobs").path))
            for arguments in [["verify"], ["verify", "--deep"]] {
                let verified = try await HubProgram.run(arguments, environment: environment)
                #expect(verified.output.contains(", 0 of them unused; no problems"))
            }
            let serving = try await HubProgram.Server(data: data, environment: environment)
            defer { serving.kill() }
            let ready = try await HTTPClient.shared.execute(
                HTTPClientRequest(url: "http://127.0.0.1:\(serving.port)/readyz"),
                timeout: .seconds(300)
            )
            #expect(ready.status.code == 200)
            let target = folder.appending(path: "got.tflite").path
            #expect(try await run("download", "plants", "--output", target).status == 0)
            #expect(FileManager.default.contentsEqual(atPath: target, andPath: Self.model))
            // Another hub needs a folder for copies of its own.
            let second = try await run("serve", "--port", "0")
            #expect(second.status == 2)
            #expect(second.errors.contains("pass another folder with --cache"))
            #expect(try await serving.stop() == 0)
        }
    }

    @Test(.enabled(if: StorageServer.moto.isInstalled, StorageServer.reason))
    func aHubIsNotServedWithoutThePlaceOfItsFiles() async throws {
        let bucket = ["SIGHTLINE_HUB_BLOBS": try await StorageServer.moto.address()]
        try await withTemporaryFolder { folder in
            func run(_ words: [String], _ name: String, _ environment: [String: String]) async throws
                -> HubProgram.Result
            {
                try await HubProgram.run(
                    words + ["--data", folder.appending(path: name).path],
                    environment: StorageServer.environment.merging(environment) { $1 },
                    place: .folder
                )
            }
            #expect(try await run(["project", "create", "my-plants"], "a", bucket).status == 0)
            for words in [["serve", "--port", "0"], ["publish", "plants", Self.model]] {
                let without = try await run(words, "a", [:])
                #expect(without.status == 2)
                #expect(without.errors.contains("are in a bucket, but no bucket was named; name it with --blobs"))
            }
            #expect(try await run(["project", "create", "my-plants"], "b", [:]).status == 0)
            let with = try await run(["serve", "--port", "0"], "b", bucket)
            #expect(with.status == 2)
            #expect(with.errors.contains("but a bucket was named; leave out --blobs"))
        }
    }

    @Test(.enabled(if: StorageServer.moto.isInstalled, StorageServer.reason))
    func aBackupIsNotRestoredBesideABucket() async throws {
        try await HubProgram.withProject { folder, run in
            let (backup, target) = (folder.appending(path: "backup").path, folder.appending(path: "target").path)
            #expect(try await run(["backup", backup]).status == 0)
            for option in [["--blobs", "s3://models"], ["--database", "postgres://hub@db.example.org/hub"]] {
                let refused = try await run(["restore", backup, "--data", target] + option)
                #expect(refused.status == 2)
                #expect(
                    refused.errors.contains("copy the backup there with `sightline hub migrate --from \(backup) --to")
                )
            }
            #expect(!FileManager.default.fileExists(atPath: target))
            #expect(try await run(["restore", backup, "--data", target]).status == 0)
        }
    }

    @Test func aWrongAddressAndMissingKeysAreNamed() async throws {
        try await withTemporaryFolder { folder in
            func errors(_ address: String, _ environment: [String: String] = StorageServer.environment) async throws
                -> String
            {
                let arguments = ["project", "create", "my-plants", "--data", folder.path, "--blobs", address]
                let result = try await HubProgram.run(arguments, environment: environment)
                #expect(result.status == 2)
                return result.errors
            }
            #expect(try await errors("s3://").contains("write s3://BUCKET/PREFIX?endpoint=http://HOST:PORT"))
            let withoutKeys = try await errors("s3://models", ["AWS_ACCESS_KEY_ID": "", "AWS_SECRET_ACCESS_KEY": ""])
            #expect(withoutKeys.contains("set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY"))
            // Nobody listens at port 1.
            let unreachable = try await errors("s3://models?endpoint=http://127.0.0.1:1")
            #expect(unreachable.contains("The hub's storage failed in the bucket models"))
            #expect(unreachable.contains("check the endpoint and the network"))
        }
    }
}
