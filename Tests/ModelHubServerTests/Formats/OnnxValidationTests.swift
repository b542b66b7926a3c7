import Foundation
import HTTPTypes
import OnnxRuntime
import SightlineTestSupport
import Testing

@testable import ModelHubServer

/// ONNX models in the hub's sandboxed process.
@Suite(.hangLimit, .needsOnnxRuntime)
struct OnnxValidationTests {
    private static let details = "/hub/v1/projects/\(TestHub.project)/models/trees"

    private func validation(_ data: Data, environment: [String] = []) async throws -> ModelValidation {
        try await withTemporaryFolder { folder in
            // The hub's files have no endings.
            let file = folder.appending(path: "0c5f1d")
            try data.write(to: file)
            let validator = ProcessModelValidator(
                executable: URL(filePath: "/usr/bin/env"),
                arguments: environment + [HubProgram.executable.path, "validate-model"]
            )
            return await validator.validation(
                of: BlobFile(hash: try FileHash.read(file.path).hash, path: file.path),
                for: TestHub.project
            )
        }
    }

    @Test func aModelIsRunStoredAndDescribed() async throws {
        try await TestHub.withWorkers { test in
            try await test.serve { client in
                let id = try await client.publish("trees", file: OnnxModels.classifier())
                let reply = try await client.send(.get, Self.details)
                let version = try #require((reply.value("versions") as? [[String: Any]])?.first)
                #expect(version["modelFormat"] as? String == "ONNX" && version["warning"] == nil)
                let inspection = try #require(version["inspection"] as? [String: Any])
                #expect(inspection["runtime"] as? String == "ONNX, operators of version 17; runs in ONNX Runtime")
                #expect(inspection["task"] as? String == "labeling")
                #expect((inspection["operators"] as? [String])?.contains("ReduceMean × 1") == true)
                #expect(reply.text("card.author") == "Ultralytics" && reply.text("card.license") == "AGPL-3.0")
                let browser = try await ConsoleClient.signedIn(client, test.publisher)
                let page = try await browser.get("/console/models/\(id)/data").text
                #expect(page.contains("ONNX, operators of version 17") && page.contains("ReduceMean × 1"))
                let overview = try await browser.get("/console/models/\(id)").text
                #expect(overview.contains("Firebase&#39;s clients") || overview.contains("Firebase's clients"))
                let code = try await browser.get("/console/models/\(id)/use").text
                #expect(code.contains("X-Sightline-Formats: onnx") && code.contains("trees.onnx"))
                #expect(page.contains(">birch<"))
                let file = try await browser.get("/console/models/\(id)/versions/1/file")
                #expect(file.headers[.contentDisposition]?.contains("trees-1.onnx") == true)
                #expect(file.body == OnnxModels.classifier())
            }
        }
    }

    @Test func aModelWithAnOpenSizeIsRunInItsSize() async throws {
        let data = OnnxModels.classifier(input: ["batch", 3, "height", "width"])
        guard case .valid(let inspection) = try await validation(data) else {
            Issue.record("refused")
            return
        }
        #expect(inspection.contains(#""task":"labeling""#) && inspection.contains("birch"))
    }

    @Test(arguments: OnnxModels.hostile.map(\.name))
    func aDamagedOrHostileFileIsRefusedInASentence(_ name: String) async throws {
        let (_, data, sentence) = try #require(OnnxModels.hostile.first { $0.name == name })
        switch try await validation(data) {
        case .invalid(let text), .unrunnable(let text):
            #expect(text.contains(sentence) && !text.contains("crash") && text.hasSuffix("."), "\(text)")
            #expect(!text.contains("0c5f1d"))
        case let other: Issue.record("\(other)")
        }
    }

    @Test func weightsOfOtherFilesAreNeverRead() async throws {
        try await TestHub.withWorkers { test in
            try await test.serve { client in
                let secret = try #require(OnnxModels.hostile.first { $0.name == "external" }).data
                let created = try await client.create("trees", file: secret)
                let message = try #require(created.text("response.state.validationError.message"))
                #expect(message.contains("../../blobs/secret.data") && message.contains("a single file"))
                let refused = try await client.setPublished(true, try #require(created.id))
                #expect(refused.value("error.code") as? Int == 9)
            }
        }
    }

    @Test func aModelInAnArchiveIsNotAModel() async throws {
        let archive = zipArchive([("model.onnx", OnnxModels.classifier())])
        #expect(try await validation(archive) == .notAModel)
        try await TestHub.withWorkers { test in
            try await test.serve { client in
                let browser = try await ConsoleClient.signedIn(client, test.publisher)
                let reply = try await browser.upload("/console/models", files: ["model": ("model.onnx", archive)])
                #expect(reply.status == 400 && reply.text.contains("a zip archive"))
            }
        }
    }

    @Test func withoutTheRuntimeTheHubNamesTheCommandThatInstallsIt() async throws {
        let missing = ["SIGHTLINE_ONNXRUNTIME=/nowhere/libonnxruntime.so"]
        guard case .unavailable(let message) = try await validation(OnnxModels.classifier(), environment: missing)
        else {
            Issue.record("validated")
            return
        }
        #expect(message.hasPrefix("The hub cannot verify models: The ONNX Runtime library"))
        #expect(message.contains("--onnx"))
        // Other models need no ONNX Runtime.
        let other = try Data(contentsOf: TestData.fixture("models/add.tflite"))
        guard case .valid = try await validation(other, environment: missing) else {
            Issue.record("refused")
            return
        }
    }

    /// The library would start a thread before the sandbox, write a database and an id into the user's cache, and wait for it at the end.
    @Test func theRuntimeCollectsNothingAboutItsUse() async throws {
        try await withTemporaryFolder { home in
            let library = try OnnxLibrary.shared().path
            let began = ContinuousClock.now
            guard
                case .valid = try await validation(
                    OnnxModels.classifier(),
                    environment: ["HOME=\(home.path)", "SIGHTLINE_ONNXRUNTIME=\(library)"]
                )
            else {
                Issue.record("refused")
                return
            }
            #expect(ContinuousClock.now - began < .seconds(25))
            #expect(try FileManager.default.subpathsOfDirectory(atPath: home.path) == [])
        }
    }

    @Test func labelsArePackedIntoAModel() async throws {
        try await TestHub.withWorkers { test in
            try await test.serve { client in
                let browser = try await ConsoleClient.signedIn(client, test.publisher)
                func upload(_ name: String, _ model: Data, _ labels: String) async throws -> TestReply {
                    try await browser.upload(
                        "/console/models",
                        ["name": name, "publish": "yes"],
                        files: ["model": ("trees.onnx", model), "labels": ("dict.txt", Data(labels.utf8))]
                    )
                }
                let bare = OnnxModels.classifier(nil)
                let path = try #require(try await upload("trees", bare, "ash\nbirch\ncedar\n").location)
                #expect(try await browser.get("\(path)/data").text.contains(">cedar<"))
                let picture = try Pictures.png(red: 9, green: 9, blue: 9, width: 64, height: 64)
                let trial = try await browser.upload("\(path)/try", files: ["picture": ("a.png", picture)])
                #expect(trial.text.contains("<th scope=\"row\">birch"), "\(trial.text)")
                let few = try await upload("few", bare, "ash\nbirch\n")
                #expect(few.status == 400 && few.text.contains("dict.txt has 2 labels but the model has 3 classes"))
                let twice = try await upload("twice", OnnxModels.classifier(), "ash\nbirch\ncedar\n")
                #expect(twice.status == 400 && twice.text.contains("already has labels"))
            }
        }
    }
}
