import Foundation
import SightlineTestSupport
import Testing

/// `sightline hub evaluate`.
@Suite(.hangLimit)
struct EvaluateCommandTests {
    /// A hub with a published model of red, green and blue, and a folder `colors` in which one picture of two is where it
    /// belongs: both are blue.
    private func withModel(_ body: (URL, ([String]) async throws -> HubProgram.Result) async throws -> Void)
        async throws
    {
        try await withTemporaryFolder { folder in
            func run(_ arguments: [String]) async throws -> HubProgram.Result {
                try await HubProgram.run(
                    arguments,
                    environment: ["SIGHTLINE_HUB_DATA": folder.appending(path: "hub").path]
                )
            }
            let picture = try Data(contentsOf: TestData.fixture("images/png-1x1.png"))
            for label in ["blue", "green"] {
                let labelFolder = folder.appending(path: "colors/\(label)")
                try FileManager.default.createDirectory(at: labelFolder, withIntermediateDirectories: true)
                try picture.write(to: labelFolder.appending(path: "1.png"))
            }
            #expect(try await run(["project", "create", "my-plants"]).status == 0)
            let model = TestData.fixture("models/classifier_float_metadata.tflite").path
            #expect(try await run(["publish", "plants", model]).status == 0)
            try await body(folder, run)
        }
    }

    @Test func measuresAPublishedModelAndStoresTheBestThreshold() async throws {
        try await withModel { folder, run in
            let colors = folder.appending(path: "colors").path
            let result = try await run(["evaluate", "plants", colors])
            #expect(result.status == 0, "\(result.errors)")
            #expect(result.output.contains("Top-1         50.0 %"))
            #expect(result.errors == "")
            #expect(try await run(["show", "plants"]).output.contains("Threshold") == false)
            let page = folder.appending(path: "report.html")
            let stored = try await run(["evaluate", "plants", colors, "--store-threshold", "--html", page.path])
            #expect(stored.status == 0, "\(stored.errors)")
            #expect(stored.output.contains(/plants: confidence threshold 0\.\d+ of version 1\n/))
            #expect(try await run(["show", "plants"]).output.contains("Threshold         0."))
            #expect(FileManager.default.fileExists(atPath: page.path))
        }
    }

    @Test func aDetectorIsMeasuredOnAnnotatedPictures() async throws {
        try await withModel { folder, run in
            let zip = folder.appending(path: "street.zip")
            try BoxPictures.archive().write(to: zip)
            #expect(try await run(["publish", "street", BoxPictures.detector.path]).status == 0)
            let result = try await run(["evaluate", "street", zip.path, "--threshold", "0.45", "--store-threshold"])
            #expect(result.status == 0, "\(result.errors)")
            #expect(result.output.contains("AP, IoU .50 ") && result.output.contains("at threshold 0.45, IoU .50"))
            #expect(result.output.contains("street: confidence threshold 0.45 of version 1\n"))
            #expect(try await run(["show", "street"]).output.contains("Threshold         0.45\n"))
            let json = try await run(["evaluate", "street", zip.path, "--format", "json"])
            let report = try JSONSerialization.jsonObject(with: Data(json.output.utf8)) as? [String: Any]
            #expect((report?["model"] as? [String: Any])?["name"] as? String == "street")
            let refused = try await run(["evaluate", "street", folder.appending(path: "colors").path])
            #expect(refused.status == 2 && refused.errors.filter { $0 == "\n" }.count == 1)
        }
    }

    @Test func storesTheThresholdThatIsAskedFor() async throws {
        try await withModel { folder, run in
            let colors = folder.appending(path: "colors").path
            let result = try await run(
                ["evaluate", "plants", colors, "--threshold", "0.25", "--store-threshold", "--format", "json"]
            )
            #expect(result.status == 0)
            let report = try JSONSerialization.jsonObject(with: Data(result.output.utf8)) as? [String: Any]
            #expect((report?["model"] as? [String: Any])?["name"] as? String == "plants")
            #expect(try await run(["show", "plants"]).output.contains("Threshold         0.25\n"))
            let impossible = try await run(["evaluate", "plants", colors, "--precision", "0.9", "--store-threshold"])
            #expect(impossible.status == 2)
            #expect(impossible.errors.contains("no threshold was stored"))
            #expect(try await run(["show", "plants"]).output.contains("Threshold         0.25\n"))
        }
    }

    @Test func aStagedVersionIsMeasuredAndGetsTheThreshold() async throws {
        try await withModel { folder, run in
            let colors = folder.appending(path: "colors").path
            let next = TestData.fixture("models/classifier_uint8_metadata.tflite").path
            #expect(try await run(["publish", "plants", next, "--stage"]).status == 0)
            let result = try await run(
                ["evaluate", "plants", colors, "--alias", "staging", "--threshold", "0.25", "--store-threshold"]
            )
            #expect(result.output.contains("plants: confidence threshold 0.25 of version 2\n"), "\(result.errors)")
            let shown = try await run(["show", "plants"]).output
            #expect(!shown.contains("Threshold") && shown.contains(/2: .*, staged, threshold 0.25/))
        }
    }

    /// Otherwise the threshold of the served version would change, which nobody named.
    @Test(arguments: [[], ["--store-threshold"]], ["staging", "beta"])
    func anAliasWithoutAVersionIsNotMeasured(options: [String], alias: String) async throws {
        try await withModel { folder, run in
            let words = ["evaluate", "plants", folder.appending(path: "colors").path, "--alias", alias] + options
            let result = try await run(words)
            #expect(result.status == 2 && result.output == "")
            let reason = alias == "staging" ? "No version of plants is staged" : "plants has no alias beta"
            #expect(result.errors.hasPrefix("sightline: \(reason)"), "\(result.errors)")
            #expect(try await run(["show", "plants"]).output.contains("Threshold") == false)
        }
    }

    @Test func aThresholdFromAFewPicturesIsSaidToBe() async throws {
        try await withModel { folder, run in
            let colors = folder.appending(path: "colors").path
            let result = try await run(["evaluate", "plants", colors, "--store-threshold"])
            #expect(result.status == 0)
            #expect(result.errors.contains("warning: The threshold rests on 2 pictures only"), "\(result.errors)")
            let chosen = try await run(["evaluate", "plants", colors, "--threshold", "0.25", "--store-threshold"])
            #expect(chosen.status == 0 && chosen.errors == "")
        }
    }

    @Test func whatCannotBeMeasuredIsSaidInOneLine() async throws {
        try await withModel { folder, run in
            for arguments in [
                ["evaluate", "nothing", folder.appending(path: "colors").path],
                ["evaluate", "plants", folder.appending(path: "nowhere").path],
                ["evaluate", "plants", folder.appending(path: "colors/blue").path],
            ] {
                let result = try await run(arguments)
                #expect(result.status == 2)
                #expect(result.output == "")
                #expect(result.errors.hasPrefix("sightline: ") && result.errors.filter { $0 == "\n" }.count == 1)
            }
            #expect(try await run(["evaluate", "plants", "x", "--precision", "2"]).status == 64)
        }
    }
}
