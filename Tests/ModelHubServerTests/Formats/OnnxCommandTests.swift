import Foundation
import SightlineTestSupport
import Testing

/// ONNX models and the commands of `sightline hub`.
@Suite(.hangLimit, .needsOnnxRuntime)
struct OnnxCommandTests {
    private static func write(_ data: Data, _ name: String, _ folder: URL) throws -> String {
        let file = folder.appending(path: name)
        try data.write(to: file)
        return file.path
    }

    @Test func publishSaysWhichClientsGetTheModelAndDownloadBringsIt() async throws {
        try await HubProgram.withProject { folder, run in
            let model = try Self.write(OnnxModels.classifier(nil), "trees.onnx", folder)
            let labels = try Self.write(Data("ash\nbirch\ncedar\n".utf8), "dict.txt", folder)
            let published = try await run(["publish", "trees", model, "--labels", labels])
            #expect(published.status == 0, "\(published.errors)")
            #expect(published.output.hasPrefix("trees: published, "))
            #expect(published.output.contains("Clients of Sightline get the ONNX model"))
            #expect(published.output.contains("Firebase's clients"))
            let shown = try await run(["show", "trees"]).output
            #expect(shown.contains("ONNX, operators of version 17") && shown.contains("Firebase's clients"))
            #expect(shown.contains("birch") && shown.contains("ReduceMean × 1"))
            let copy = folder.appending(path: "copy")
            #expect(try await run(["download", "trees", "--output", copy.path]).status == 0)
            #expect(try Data(contentsOf: copy).starts(with: OnnxModels.classifier(nil)))
        }
    }

    @Test func promoteWarnsThatFirebasesClientsKeepTheirVersion() async throws {
        try await HubProgram.withProject { folder, run in
            let first = TestData.fixture("models/classifier_float_metadata.tflite").path
            #expect(try await run(["publish", "trees", first]).status == 0)
            let second = try Self.write(OnnxModels.classifier(), "trees.onnx", folder)
            let staged = try await run(["publish", "trees", second, "--stage"])
            #expect(staged.status == 0 && staged.output.contains("Firebase's clients"), "\(staged.errors)")
            let promoted = try await run(["promote", "trees"])
            #expect(
                promoted.status == 0 && promoted.errors.contains("`sightline hub promote trees 1` returns to version 1")
            )
            #expect(promoted.errors.contains("Version 2 is an ONNX model, which Firebase's clients do not read"))
        }
    }

    @Test func promoteRefusesAnotherFormatWhileAnExperimentRuns() async throws {
        try await HubProgram.withProject { folder, run in
            let first = TestData.fixture("models/classifier_float_metadata.tflite").path
            for name in ["trees", "oaks"] { #expect(try await run(["publish", name, first]).status == 0) }
            let second = try Self.write(OnnxModels.classifier(), "trees.onnx", folder)
            #expect(try await run(["publish", "trees", second, "--stage"]).status == 0)
            let start = [
                "experiment", "start", "ab", "--parameter", "model", "--variant", "a=trees", "--variant", "b=oaks",
            ]
            let started = try await run(start)
            #expect(started.status == 0, "\(started.errors)")
            let refused = try await run(["promote", "trees"])
            #expect(
                refused.status != 0 && refused.errors.contains("the running experiment \"ab\""),
                "\(refused.errors)"
            )
            #expect(try await run(["experiment", "stop", "ab"]).status == 0)
            #expect(try await run(["promote", "trees"]).status == 0)
        }
    }

    @Test func aModelThatCannotBecomeFasterIsPublishedUnchanged() async throws {
        try await HubProgram.withProject { folder, run in
            let model = try Self.write(OnnxModels.classifier(), "trees.onnx", folder)
            let published = try await run(["publish", "trees", model, "--optimize"])
            #expect(published.status == 0 && published.output.hasPrefix("trees: published, "), "\(published.errors)")
            #expect(
                published.errors.contains("trees is published unchanged.") && published.errors.contains("an ONNX model")
            )
        }
    }

    @Test func aHostileFileIsRefusedInALineAndNothingIsPublished() async throws {
        try await HubProgram.withProject { folder, run in
            for name in ["external", "truncated"] {
                let data = try #require(OnnxModels.hostile.first { $0.name == name }).data
                let refused = try await run(["publish", "trees", try Self.write(data, "bad.onnx", folder)])
                #expect(refused.status != 0 && refused.output == "")
                #expect(refused.errors.contains("The file cannot become a version:"), "\(refused.errors)")
                #expect(refused.errors.split(separator: "\n").count == 1)
            }
        }
    }
}
