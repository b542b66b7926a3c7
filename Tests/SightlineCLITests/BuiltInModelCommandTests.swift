import Foundation
import Sightline
import SightlineTestSupport
import Testing

/// The command without a model, and where it finds the built-in ones.
@Suite(.hangLimit)
struct BuiltInModelCommandTests {
    #if canImport(Darwin)
        private static let bundle = "Sightline_Sightline.bundle"
    #else
        private static let bundle = "Sightline_Sightline.resources"
    #endif

    /// A folder with the command, a picture, and what `prepare` puts there; runs `arguments` in it.
    private func installed(
        arguments: [String] = ["detect", "photo.png", "--format", "jsonl"],
        prepare: (_ bundle: URL, _ folder: URL) throws -> Void
    ) async throws -> Command.Result {
        try await withTemporaryFolder { folder in
            try Pictures.write(["photo.png": try Pictures.png(red: 200), "bin/x": Data()], in: folder)
            let command = folder.appending(path: "bin/sightline")
            try await Program.copy(Command.executable, to: command)
            try prepare(Command.executable.deletingLastPathComponent().appending(path: Self.bundle), folder)
            return try await Command.run(arguments, in: folder, executable: command)
        }
    }

    @Test func anInstalledCommandFindsItsModelsBesideItself() async throws {
        let result = try await installed { bundle, folder in
            try FileManager.default.copyItem(at: bundle, to: folder.appending(path: "bin/" + Self.bundle))
        }
        #expect(result.status == 0 && result.errors == "")
        #expect(try result.records().first?["objects"] is [[String: Any]])
    }

    @Test func aLinkToAnInstalledCommandFindsThemToo() async throws {
        try await withTemporaryFolder { folder in
            try Pictures.write(["photo.png": try Pictures.png(red: 200)], in: folder)
            let link = folder.appending(path: "link")
            try FileManager.default.createSymbolicLink(at: link, withDestinationURL: Command.executable)
            let result = try await Command.run(["detect", "photo.png"], in: folder, executable: link)
            #expect(result.status == 0 && result.errors == "")
        }
    }

    @Test func anInstalledCommandFindsItsModelsInTheLibraryFolder() async throws {
        let result = try await installed { bundle, folder in
            let library = folder.appending(path: "lib/sightline")
            try FileManager.default.createDirectory(at: library, withIntermediateDirectories: true)
            try FileManager.default.copyItem(at: bundle, to: library.appending(path: Self.bundle))
        }
        #expect(result.status == 0 && result.errors == "")
    }

    @Test(arguments: [["detect", "photo.png"], ["label", "photo.png"], ["inspect"]])
    func theCommandAloneSaysWhatIsMissing(arguments: [String]) async throws {
        let result = try await installed(arguments: arguments) { _, _ in }
        #expect(result.status == 2)
        #expect(result.output == "")
        #expect(result.errors.contains("is not next to the program") && result.errors.contains(Self.bundle))
    }

    @Test func theCommandAloneStillRunsAnotherModel() async throws {
        let result = try await installed(arguments: ["detect", "photo.png", "--model", Command.detector]) { _, _ in }
        #expect(result.status == 0)
    }

    @Test(arguments: [0, 1000, 1_000_000])
    func aDamagedModelIsAnError(byteCount: Int) async throws {
        let result = try await installed { bundle, folder in
            let copy = folder.appending(path: "bin/" + Self.bundle)
            try FileManager.default.copyItem(at: bundle, to: copy)
            let model = copy.appending(path: "object_detector.tflite")
            let bytes = try Data(contentsOf: model).prefix(byteCount)
            try FileManager.default.removeItem(at: model)
            try bytes.write(to: model)
        }
        #expect(result.status == 2)
        #expect(result.output == "")
        #expect(result.errors.contains("is damaged"))
    }

    @Test func inspectWithoutAModelDescribesTheBuiltInModels() async throws {
        let text = try await Command.run(["inspect"])
        #expect(text.status == 0)
        #expect(text.output.contains("object_detector.tflite") && text.output.contains("Fashion good, Home good"))
        #expect(text.output.contains("picture_labels.txt"))
        let json = try await Command.run(["inspect", "--format", "json"])
        let descriptions = try JSONSerialization.jsonObject(with: Data(json.output.utf8)) as? [[String: Any]]
        let tasks = ["detection", "labeling", "detection", "labeling", "labeling"]
        #expect(descriptions?.map { $0["task"] as? String } == tasks)
    }

    @Test(arguments: [("detect", "built-in detector"), ("label", "built-in labeler")])
    func helpSaysWhatIsBuiltInAndHowGoodItIs(command: String, model: String) async throws {
        let help = try await Command.run([command, "--help"]).output
        #expect(help.contains(model) && help.contains("right"))
    }

    @Test(.enabled(if: TestData.isAvailable, TestData.reason))
    func namesWhatIsInAPhoto() async throws {
        let result = try await Command.run(["detect", TestData.real("images/sparrow.png").path, "--single"])
        #expect(result.status == 0)
        #expect(result.output.contains("bird"))
    }
}
