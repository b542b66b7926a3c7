import Foundation
import ModelCatalog
import Sightline
import SightlineTestSupport
import Testing

@testable import SightlineCLI

/// `sightline models use`, and the commands that follow the choice.
@Suite(.hangLimit)
struct DefaultModelTests {
    /// Runs commands with a home of their own, in which a mirror offers the detector "boxes" and the classifier "colors".
    private func withHome(
        chosen: Bool = true,
        _ body: (
            _ folder: URL,
            _ run: (_ arguments: [String], _ environment: [String: String]) async throws -> Command.Result
        ) async throws -> Void
    ) async throws {
        try await withTemporaryFolder { folder in
            try Pictures.write(
                [
                    "mirror/boxes/model.tflite": try Data(contentsOf: URL(filePath: Command.detector)),
                    "mirror/colors/model.tflite": try Data(contentsOf: URL(filePath: Command.classifier)),
                    "photo.png": try Pictures.png(red: 255),
                ],
                in: folder
            )
            try Command.linkRuntime(into: folder.appending(path: "data/sightline"))
            let run = { (arguments: [String], environment: [String: String]) in
                let own = ["XDG_DATA_HOME": folder.appending(path: "data").path, "SIGHTLINE_MODEL": ""]
                return try await Command.run(arguments, in: folder, environment: own.merging(environment) { $1 })
            }
            if chosen {
                let result = try await run(["models", "use", "boxes"] + Self.mirror, [:])
                #expect(result.status == 0)
            }
            try await body(folder, run)
        }
    }

    private static let mirror = ["--mirror", "mirror", "--accept-unverified"]
    private let detect = ["detect", "photo.png", "--format", "jsonl"]

    /// The best labels of the first line of JSON.
    private func labels(_ result: Command.Result) throws -> [String] {
        let objects = try #require(try result.records().first?["objects"] as? [[String: Any]])
        return objects.compactMap { ($0["labels"] as? [[String: Any]])?.first?["text"] as? String }
    }

    @Test func useInstallsAModelAndMakesItTheDefault() async throws {
        try await withHome(chosen: false) { _, run in
            #expect(try labels(await run(detect, [:])) != ["red", "blue"])
            let chosen = try await run(["models", "use", "boxes"] + Self.mirror, [:])
            #expect(chosen.output == "detect, track, watch and serve now use boxes.\n")
            let result = try await run(detect, [:])
            #expect(try labels(result) == ["red", "blue"])
        }
    }

    @Test func resultsNameADefaultThatAnswered() async throws {
        try await withHome { _, run in
            let record = try #require(try await run(detect, [:]).records().first)
            #expect(record["model"] as? String == "boxes")
            #expect((record["version"] as? String)?.count == 12)
            #expect(try ResultSchema().problems(JSONSerialization.data(withJSONObject: record)) == [])
            let named = try #require(try await run(detect + ["--model", "boxes"], [:]).records().first)
            #expect(named["model"] == nil)
        }
    }

    @Test func trackFollowsTheDefault() async throws {
        try await withHome { _, run in
            let video = TestData.fixture("videos/h264-aac.mp4").path
            let records = try await run(["track", video, "--format", "jsonl"], [:]).records()
            let frame = try #require(records.first)
            #expect(frame["model"] as? String == "boxes")
            #expect(try ResultSchema().problems(JSONSerialization.data(withJSONObject: frame)) == [])
        }
    }

    @Test(arguments: [["--model", "built-in"], []])
    func theBuiltInModelIsAWordAway(options: [String]) async throws {
        try await withHome { _, run in
            if options.isEmpty {
                let result = try await run(["models", "use", "built-in"], [:])
                #expect(result.output == "detect, track, watch and serve now use the built-in detector.\n")
            }
            let record = try #require(try await run(detect + options, [:]).records().first)
            #expect(record["model"] == nil)
        }
    }

    @Test func theVariableComesBeforeTheChoiceAndTheOptionBeforeBoth() async throws {
        try await withHome { _, run in
            let variable = ["SIGHTLINE_MODEL": Command.detector]
            let named = try await run(detect, variable).records().first?["model"] as? String
            #expect(named == Command.detector)
            let builtIn = try await run(detect, ["SIGHTLINE_MODEL": "built-in"]).records().first
            #expect(builtIn?["model"] == nil && builtIn?["objects"] != nil)
            let option = try await run(detect + ["--model", "boxes"], ["SIGHTLINE_MODEL": "nothing"])
            #expect(try labels(option) == ["red", "blue"])
            let wrong = try await run(detect, ["SIGHTLINE_MODEL": "nothing"])
            #expect(wrong.status == 2)
            #expect(wrong.errors.contains("SIGHTLINE_MODEL is nothing") && wrong.errors.contains("unset"))
        }
    }

    @Test func theListMarksTheDefault() async throws {
        try await withHome { _, run in
            let list = try await run(["models", "list"], [:])
            let marked = list.lines.filter { $0.hasSuffix("yes, default") }
            #expect(marked.count == 1 && marked.first?.hasPrefix("boxes ") == true)
            let records = try await run(["models", "list", "--format", "jsonl"], [:]).records()
            #expect(records.filter { $0["isDefault"] as? Bool == true }.map { $0["name"] as? String } == ["boxes"])
        }
    }

    @Test func theListBeginsWithTheBestDetector() async throws {
        let list = try await Command.run(["models", "list"])
        let names = list.lines.dropFirst().compactMap { $0.split(separator: " ").first.map(String.init) }
        #expect(names.first == DefaultModelHelp.best)
        let (tiny, ssd) = try (
            #require(names.firstIndex(of: "yolox-nano-ti-320")), #require(names.firstIndex(of: "coco-ssd-mobilenet-v1"))
        )
        #expect(tiny < ssd && names.contains("built-in"))
    }

    @Test func theRecommendedModelIsTheBestMeasuredOne() throws {
        #expect(try ModelMeasurements.bundled().best == DefaultModelHelp.best)
    }

    @Test func aDefaultThatIsGoneIsSaidInOneSentenceWithTheNextStep() async throws {
        try await withHome { folder, run in
            try FileManager.default.removeItem(at: folder.appending(path: "data/sightline/models/boxes"))
            try Data("cameras: {door: {input: photo.png}}\n".utf8).write(to: folder.appending(path: "c.yaml"))
            for arguments in [detect, ["track", "photo.png"], ["watch", "--check", "c.yaml"]] {
                let result = try await run(arguments, [:])
                #expect(result.status == 2 && result.output == "", "\(arguments)")
                #expect(result.errors.contains("The default model boxes"), "\(result.errors)")
                #expect(result.errors.contains("`sightline models use built-in`"))
            }
            let list = try await run(["models", "list"], [:])
            #expect(list.status == 0 && list.errors.contains("The default model boxes"))
            let back = try await run(["models", "use", "built-in"], [:])
            let result = try await run(detect, [:])
            #expect(back.status == 0 && result.status == 0)
        }
    }

    @Test func removingTheDefaultGoesBackToTheBuiltInDetector() async throws {
        try await withHome { _, run in
            let removed = try await run(["models", "remove", "boxes"], [:])
            #expect(removed.status == 0 && removed.errors.contains("boxes was the default"))
            let result = try await run(detect, [:])
            #expect(result.status == 0 && result.errors == "")
        }
    }

    @Test(arguments: [["colors"] + mirror, ["nothing"], ["photo.png"], ["built-in"] + mirror])
    func whatIsNoDetectorLeavesTheChoice(arguments: [String]) async throws {
        try await withHome { _, run in
            let result = try await run(["models", "use"] + arguments, [:])
            #expect(result.status != 0 && result.errors.hasPrefix("sightline: ") || result.status == 64)
            #expect(try labels(await run(detect, [:])) == ["red", "blue"])
        }
    }

    @Test func aFileIsTheDefaultInEveryFolder() async throws {
        try await withHome(chosen: false) { folder, run in
            let result = try await run(["models", "use", "mirror/boxes/model.tflite"], [:])
            #expect(result.status == 0)
            let elsewhere = try await Command.run(
                ["detect", folder.appending(path: "photo.png").path, "--format", "jsonl"],
                in: folder.appending(path: "mirror"),
                environment: ["XDG_DATA_HOME": folder.appending(path: "data").path, "SIGHTLINE_MODEL": ""]
            )
            #expect(try labels(elsewhere) == ["red", "blue"])
        }
    }

    @Test func aFileOfTheNameInTheWorkingFolderDoesNotReplaceTheChoice() async throws {
        try await withHome { folder, run in
            try Data("no model".utf8).write(to: folder.appending(path: "boxes"))
            #expect(try labels(await run(detect, [:])) == ["red", "blue"])
        }
    }

    @Test func withoutANetworkTheErrorNamesTheWaysWithoutOne() async throws {
        try await withHome(chosen: false) { _, run in
            let proxy = ["https_proxy": "http://127.0.0.1:9", "HTTPS_PROXY": "http://127.0.0.1:9"]
            let result = try await run(["models", "use", DefaultModelHelp.best], proxy)
            #expect(result.status == 2)
            #expect(result.errors.contains("--from FILE") && result.errors.contains("--mirror FOLDER"))
            let after = try await run(detect, [:])
            #expect(after.status == 0)
        }
    }

    @Test(arguments: [["install", "built-in", "--from", Command.detector], ["remove", "built-in"]])
    func noOtherModelHasTheNameOfTheBuiltInModels(arguments: [String]) async throws {
        try await withHome(chosen: false) { _, run in
            let result = try await run(["models"] + arguments, [:])
            #expect(result.status == 2)
            #expect(result.errors.contains("denotes the models that come with Sightline"))
        }
    }

    @Test(arguments: [["models", "show", "built-in"], ["models", "path", "built-in"], ["inspect", "built-in"]])
    func theBuiltInDetectorHasAName(arguments: [String]) async throws {
        let result = try await Command.run(arguments)
        #expect(result.status == 0 && result.errors == "" && !result.output.isEmpty)
    }

    @Test func adviceComesWhenMostObjectsHaveNoName() {
        var findings = NamedFindings()
        #expect(!findings.areMostlyNameless)
        let frame = PixelRect(x: 0, y: 0, width: 1, height: 1)
        let named = DetectedObject(frame: frame, confidence: 1, labels: [Label(text: "cup", index: 0, confidence: 1)])
        let nameless = DetectedObject(frame: frame, confidence: 1, labels: [])
        findings.count([named, nameless])
        #expect(!findings.areMostlyNameless)
        findings.count([nameless])
        #expect(findings.areMostlyNameless)
    }
}
