import Foundation
import ModelHubProtocol
import ModelHubServer
import SightlineTestSupport
import Testing

/// `sightline hub key create --signing`, `sightline hub sign` and `sightline hub manifest`.
@Suite(.hangLimit)
struct SigningCommandTests {
    private static let model = TestData.fixture("models/classifier_float_metadata.tflite").path
    private static let other = TestData.fixture("models/classifier_uint8_metadata.tflite").path

    @Test func aKeyThatTheHubKeepsSignsByItself() async throws {
        try await HubProgram.withProject { folder, run in
            #expect(try await run(["publish", "plants", Self.model]).status == 0)
            let made = try await run(["key", "create", "--signing", "owner"])
            #expect(made.status == 0, "\(made.errors)")
            let publicKey = try #require(SigningKeyID.publicKey(made.output.trimmingCharacters(in: .newlines)))
            let id = SigningKeyID.of(publicKey)
            #expect(made.errors.contains("signing/\(id).pem"))
            #expect(FileManager.default.fileExists(atPath: folder.appending(path: "hub/signing/\(id).pem").path))
            let listed = try await run(["manifest", "list", "plants"])
            #expect(listed.output.contains(/production +1  valid +owner +/) && listed.output.contains(id.prefix(12)))
            let signed = try await run(["sign", "plants", "--expires", "90d"])
            #expect(
                signed.output.hasPrefix("plants: version 1 is signed for production with key \(id.prefix(12)) until ")
            )
            #expect(try await run(["key", "list"]).output.contains(/owner +signing/))
            #expect(try await run(["audit"]).output.contains("model.sign"))
        }
    }

    @Test func aKeyInAFileSignsWhatTheUserNamesAndNothingElse() async throws {
        try await HubProgram.withProject { folder, run in
            #expect(try await run(["publish", "plants", Self.model]).status == 0)
            let file = folder.appending(path: "plants.pem").path
            let made = try await run(["key", "create", "--signing", "owner", "--offline", file])
            #expect(made.status == 0 && made.errors.contains("which the hub never receives"))
            #expect(!FileManager.default.fileExists(atPath: folder.appending(path: "hub/signing").path))
            let mode = try FileManager.default.attributesOfItem(atPath: file)[.posixPermissions] as? Int
            #expect(mode == 0o600)
            // An existing file is never replaced.
            let again = try await run(["key", "create", "--signing", "again", "--offline", file])
            #expect(again.status == 2 && again.errors.contains("exists already"))

            let wrong = try await run(["sign", "plants", "--key-file", file, "--file", Self.other])
            #expect(wrong.status == 2 && wrong.errors.contains("nothing was signed"))
            let none = try await run(["sign", "plants", "--key-file", file])
            #expect(none.status == 64 && none.errors.contains("the key signs the file that you name"))
            let signed = try await run(["sign", "plants", "--key-file", file, "--file", Self.model])
            #expect(signed.status == 0, "\(signed.errors)")
            #expect(signed.output.hasPrefix("plants: version 1 is signed for production with key "))
            #expect(signed.errors.contains("SHA-256 \(sha256(try Data(contentsOf: URL(filePath: Self.model))))"))
            #expect(try await run(["manifest", "list", "plants"]).output.contains(/production +1  valid/))
        }
    }

    @Test func aMachineWithoutAHubSigns() async throws {
        try await HubProgram.withProject { folder, run in
            #expect(try await run(["publish", "plants", Self.model]).status == 0)
            let key = folder.appending(path: "plants.pem").path
            _ = try await run(["key", "create", "--signing", "owner", "--offline", key])
            let prepared = try await run(["manifest", "prepare", "plants"])
            #expect(prepared.output.hasPrefix("\(ModelManifest.format)\nproject my-plants "))
            let manifest = folder.appending(path: "plants.manifest")
            try Data(prepared.output.utf8).write(to: manifest)
            let hash = sha256(try Data(contentsOf: URL(filePath: Self.model)))
            // No hub is in its environment.
            let signed = try await HubProgram.run(
                ["sign", "--manifest", manifest.path, "--key-file", key, "--sha256", hash.uppercased()],
                environment: ["SIGHTLINE_HUB_DATA": folder.appending(path: "nothing").path],
                place: .folder
            )
            #expect(signed.status == 0, "\(signed.errors)")
            let result = try SignedManifest(Data(signed.output.utf8))
            #expect(try result.manifest().labels == nil)
            let file = folder.appending(path: "plants.signed")
            try Data(signed.output.utf8).write(to: file)
            let added = try await run(["manifest", "add", file.path])
            #expect(added.status == 0 && added.output.hasPrefix("plants: version 1 is signed"), "\(added.errors)")
            let forged = signed.output.replacing("version 1", with: "version 2")
            try Data(forged.utf8).write(to: file)
            let refused = try await run(["manifest", "add", file.path])
            #expect(refused.status == 2 && refused.errors.contains("signature is not one of the key"))
            let damaged = folder.appending(path: "damaged.manifest")
            try Data(prepared.output.dropLast(20).utf8).write(to: damaged)
            let unsigned = try await run(["sign", "--manifest", damaged.path, "--key-file", key, "--sha256", hash])
            #expect(unsigned.status == 2 && unsigned.errors.contains("cannot be signed"))
        }
    }

    @Test func aNumberFarInTheFutureIsNotSigned() async throws {
        try await withTemporaryFolder { folder in
            let (key, hash) = (SigningKey(), String(repeating: "a", count: 64))
            let keyFile = folder.appending(path: "key.pem")
            try Data(key.pem.utf8).write(to: keyFile)
            func manifest(_ serial: Int64) -> ModelManifest {
                ModelManifest(
                    project: "my-plants",
                    projectNumber: 1,
                    name: "plants",
                    alias: .production,
                    version: 1,
                    byteCount: 5,
                    hash: hash,
                    labels: hash,
                    confidenceThreshold: nil,
                    serial: serial,
                    issued: 1,
                    expires: 2,
                    key: String(repeating: "0", count: 40)
                )
            }
            func sign(_ serial: Int64) async throws -> Program.Result {
                let file = folder.appending(path: "manifest")
                try Data(manifest(serial).text.utf8).write(to: file)
                return try await HubProgram.run([
                    "sign", "--manifest", file.path, "--key-file", keyFile.path, "--sha256", hash,
                ])
            }
            let refused = try await sign(.max)
            #expect(refused.status == 2 && refused.errors.contains("far in the future"))
            let signed = try await sign(7)
            let result = try SignedManifest(Data(signed.output.utf8)).manifest()
            // Times and the number come from this machine, the labels from nobody who checked them.
            #expect(result.serial > 1_700_000_000_000 && result.issued > 1_700_000_000 && result.labels == nil)
            #expect(result.expires - result.issued == 180 * 24 * 3600 && result.key == key.id)
        }
    }
}
