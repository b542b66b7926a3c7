import AsyncHTTPClient
import Foundation
import SightlineTestSupport
import Testing

@testable import ModelHubServer

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

    @Test func aWrongAddressAndMissingKeysAreNamed() async throws {
        try await withTemporaryFolder { folder in
            func errors(_ address: String, _ environment: [String: String] = StorageServer.environment) async throws
                -> String
            {
                let arguments = ["project", "create", "x", "--data", folder.path, "--blobs", address]
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
