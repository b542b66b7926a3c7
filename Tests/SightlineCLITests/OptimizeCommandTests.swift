import Foundation
import SightlineTestSupport
import Testing

/// `sightline optimize`, and `--optimize` of other commands.
@Suite(.hangLimit) struct OptimizeCommandTests {
    private static let classifier = TestData.fixture("models/uint8_classifier.tflite").path
    private static let detector = TestData.fixture("models/uint8_detector.tflite").path

    /// Runs the command in a new folder that also takes the place of the user's cache folder.
    private func run(_ arguments: [String], _ check: (Command.Result, URL) async throws -> Void) async throws {
        try await withTemporaryFolder { folder in
            try Pictures.write(["photos/a.png": try Pictures.png(red: 200, green: 90)], in: folder)
            try await check(
                try await Command.run(arguments, in: folder, environment: ["XDG_CACHE_HOME": folder.path]),
                folder
            )
        }
    }

    @Test func writesAFasterModelAndTellsWhatChanged() async throws {
        try await run(["optimize", Self.classifier, "fast.tflite", "--pictures", "photos"]) { result, folder in
            #expect(result.status == 0 && result.errors == "")
            for part in ["become int8", "times as fast", "Answers", "fast.tflite"] {
                #expect(result.output.contains(part), "\(part)")
            }
            let labels = try await Command.run(["label", "photos/a.png", "--model", "fast.tflite"], in: folder)
            #expect(labels.status == 0 && labels.output.contains("class "))
        }
    }

    @Test func withoutAnOutputItOnlyMeasures() async throws {
        try await run(["optimize", Self.detector, "--threshold", "0.4", "--format", "json"]) { result, folder in
            #expect(result.status == 0)
            let report = try #require(
                try JSONSerialization.jsonObject(with: Data(result.output.utf8)) as? [String: Any]
            )
            #expect((report["rewritten"] as? [String])?.count == 2)
            #expect((report["speed"] as? [String: Any])?["ratio"] is Double)
            #expect((report["agreement"] as? [String: Any])?["areGenerated"] as? Bool == true)
            #expect(report["output"] == nil)
            let files = try FileManager.default.contentsOfDirectory(atPath: folder.path)
            #expect(!files.contains { $0.hasSuffix(".tflite") })
        }
    }

    @Test func aModelThatCannotBecomeFasterFails() async throws {
        try await run(["optimize", Command.classifier, "fast.tflite"]) { result, folder in
            #expect(result.status == 2 && result.output == "")
            #expect(result.errors.contains("cannot be made faster"))
            #expect(!FileManager.default.fileExists(atPath: folder.appending(path: "fast.tflite").path))
        }
    }

    @Test func theInputIsNeverOverwritten() async throws {
        try await withTemporaryFolder { folder in
            let model = try Data(contentsOf: URL(filePath: Self.classifier))
            try model.write(to: folder.appending(path: "model.tflite"))
            try FileManager.default.linkItem(
                at: folder.appending(path: "model.tflite"),
                to: folder.appending(path: "link.tflite")
            )
            for output in ["model.tflite", "./model.tflite", "link.tflite"] {
                let result = try await Command.run(["optimize", "model.tflite", output], in: folder)
                #expect(result.status == 2 && result.errors.contains("is the model itself"))
            }
            #expect(try Data(contentsOf: folder.appending(path: "model.tflite")) == model)
        }
    }

    @Test func aFolderWithoutPicturesFails() async throws {
        try await withTemporaryFolder { folder in
            let empty = folder.appending(path: "empty")
            try FileManager.default.createDirectory(at: empty, withIntermediateDirectories: false)
            let result = try await Command.run(["optimize", Self.classifier, "--pictures", "empty"], in: folder)
            #expect(result.status == 2 && result.errors.contains("no pictures"))
        }
    }

    @Test(arguments: [
        ["label", "photos/a.png", "--model", classifier], ["detect", "photos/a.png", "--model", detector],
    ])
    func otherCommandsKeepTheFasterModel(_ arguments: [String]) async throws {
        try await run(arguments + ["--optimize", "--format", "jsonl"]) { result, folder in
            #expect(result.status == 0)
            let nameless = "The model has no names for its classes; --labels FILE adds them, one name on each line."
            #expect(result.errors == "sightline: \(nameless)\n")
            let kept = folder.appending(path: "sightline/optimized")
            let files = try FileManager.default.contentsOfDirectory(atPath: kept.path)
            #expect(files.count == 1)
            let again = try await Command.run(
                arguments + ["--optimize", "--format", "jsonl"],
                in: folder,
                environment: ["XDG_CACHE_HOME": folder.path]
            )
            let (first, second) = (try result.records().first, try again.records().first)
            for key in ["labels", "objects"] {
                #expect(first?[key] as? NSArray == second?[key] as? NSArray)
            }
            #expect(first?["labels"] != nil || first?["objects"] != nil)
            #expect(try FileManager.default.contentsOfDirectory(atPath: kept.path) == files)
        }
    }

    @Test func withoutTheFlagNothingIsKept() async throws {
        try await run(["label", "photos/a.png", "--model", Self.classifier]) { result, folder in
            #expect(result.status == 0)
            #expect(!FileManager.default.fileExists(atPath: folder.appending(path: "sightline/optimized").path))
        }
    }

    /// Runs `track` on two pictures.
    private func track(_ flags: [String], _ check: (Command.Result, URL) async throws -> Void) async throws {
        try await run(["track", "photos", "--model", Self.detector, "--format", "table"] + flags, check)
    }

    @Test func trackingRewritesTheModelAndSaysSo() async throws {
        try await track([]) { result, folder in
            #expect(result.status == 0)
            #expect(result.lines.contains("The model was rewritten to run faster; --no-optimize runs it unchanged."))
            #expect(FileManager.default.fileExists(atPath: folder.appending(path: "sightline/optimized").path))
        }
    }

    @Test func trackingCanLeaveTheModelAsItIs() async throws {
        try await track(["--no-optimize"]) { result, folder in
            #expect(result.status == 0)
            #expect(!result.output.contains("rewritten"))
            #expect(!FileManager.default.fileExists(atPath: folder.appending(path: "sightline/optimized").path))
        }
    }

    @Test func inspectTellsWhatOptimizingWouldBring() async throws {
        let slow = try await Command.run(["inspect", Self.classifier])
        #expect(slow.output.contains("Can be faster   sightline optimize"))
        #expect(slow.output.contains("become int8"))
        #expect(!(try await Command.run(["inspect", Command.classifier]).output.contains("Can be faster")))
    }
}
