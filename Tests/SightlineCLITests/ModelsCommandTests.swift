import Foundation
import ModelCatalog
import SightlineTestSupport
import Testing

@testable import SightlineCLI

/// `sightline models`, with a data folder of its own and a mirror folder instead of the network.
@Suite(.hangLimit)
struct ModelsCommandTests {
    /// Runs commands with a home of their own, in which a mirror offers the model "boxes".
    private func withHome(
        _ body: (_ folder: URL, _ run: ([String]) async throws -> Command.Result) async throws -> Void
    ) async throws {
        try await withTemporaryFolder { folder in
            let model = try Data(contentsOf: URL(filePath: Command.detector))
            try Pictures.write(
                ["mirror/boxes/model.tflite": model, "photo.png": try Pictures.png(red: 255)],
                in: folder
            )
            try Command.linkRuntime(into: folder.appending(path: "data/sightline"))
            try await body(folder) { arguments in
                try await Command.run(
                    arguments,
                    in: folder,
                    environment: ["XDG_DATA_HOME": folder.appending(path: "data").path]
                )
            }
        }
    }

    private let install = ["models", "install", "boxes", "--mirror", "mirror", "--accept-unverified"]

    @Test func listsTheCatalogWithoutANetwork() async throws {
        try await withHome { _, run in
            let result = try await run(["models", "list"])
            #expect(result.status == 0)
            for name in ["coco-ssd-mobilenet-v1", "yolox-nano-ti-lite", "mobilenet-v2"] {
                #expect(result.lines.contains { $0.hasPrefix(name) && $0.contains("  no") })
            }
        }
    }

    @Test func listsWhatWasMeasuredOfEachModel() async throws {
        try await withHome { _, run in
            let table = try await run(["models", "list"])
            #expect(table.lines.first?.contains("LABELS      INPUT") == true)
            #expect(table.lines.last?.hasPrefix("AP on 167 photos of COCO val2017; MS on one thread of ") == true)
            let builtIn = try #require(table.lines.first { $0.hasPrefix("built-in ") })
            let cells = builtIn.split(separator: " ")
            #expect(
                cells.contains("80") && cells.contains("0.182") && cells.suffix(2) == ["yes,", "default"],
                "\(builtIn)"
            )
            // Programs install what they read.
            let records = try await run(["models", "list", "--format", "jsonl"]).records()
            #expect(records.count == 12)
            let yolox = try #require(records.first { $0["name"] as? String == "yolox-nano" })
            #expect(yolox["input"] as? [String: Int] == ["width": 416, "height": 416])
            let measured = try #require(yolox["measured"] as? [String: Any])
            #expect(measured["ap"] as? Double == 0.283)
            #expect(try #require(measured["milliseconds"] as? Double) > 1)
            #expect(records.allSatisfy { $0["measured"] != nil })
        }
    }

    @Test func looksIntoInstalledModelsThatTheCatalogDoesNotHave() async throws {
        try await withHome { _, run in
            _ = try await run(install)
            let list = try await run(["models", "list"])
            let boxes = try #require(list.lines.first { $0.hasPrefix("boxes") })
            #expect(boxes.split(separator: " ").prefix(3) == ["boxes", "detect", "3"])
        }
    }

    @Test func listsWhatIsInstalledAsJSON() async throws {
        try await withHome { folder, run in
            _ = try await run(install)
            let result = try await run(["models", "list", "--format", "json"])
            let models = try JSONSerialization.jsonObject(with: Data(result.output.utf8)) as? [[String: Any]]
            let boxes = models?.first { $0["name"] as? String == "boxes" }
            #expect(boxes?["path"] as? String == folder.path + "/data/sightline/models/boxes/model.tflite")
            #expect(boxes?["isInstalledFileVerified"] as? Bool == false)
        }
    }

    @Test func showsWhatIsKnownOfAModel() async throws {
        try await withHome { _, run in
            let result = try await run(["models", "show", "yolox-nano-ti-320"])
            #expect(result.status == 0)
            for part in ["Apache-2.0 AND BSD-3-Clause", "https://", "1551296 bytes", "Installed   no"] {
                #expect(result.output.contains(part), "\(part)")
            }
        }
    }

    @Test func anInstalledModelIsFoundByItsName() async throws {
        try await withHome { _, run in
            let installed = try await run(install)
            #expect(installed.status == 0)
            #expect(installed.errors.contains("was not verified"))
            for command in [["detect", "photo.png", "--model", "boxes", "--format", "csv"], ["inspect", "boxes"]] {
                let result = try await run(command)
                #expect(result.status == 0)
                #expect(result.output.contains("red"))
            }
        }
    }

    @Test func aPathThatExistsWinsOverAName() async throws {
        try await withHome { folder, run in
            _ = try await run(install)
            try Data("no model".utf8).write(to: folder.appending(path: "boxes"))
            let result = try await run(["detect", "photo.png", "--model", "boxes"])
            #expect(result.status == 2)
        }
    }

    @Test(arguments: ["--model", "--classifier"])
    func aModelOfTheCatalogThatIsNotInstalledSaysHowToInstallIt(option: String) async throws {
        try await withHome { _, run in
            let result = try await run(["detect", "photo.png", option, "yolox-nano"])
            #expect(result.status == 2)
            #expect(result.errors.contains("sightline models install yolox-nano"))
        }
    }

    @Test func printsPathsAndRemoves() async throws {
        try await withHome { folder, run in
            let models = folder.path + "/data/sightline/models"
            let before = try await [run(["models", "path"]), run(["models", "path", "boxes"])]
            #expect(before.map(\.status) == [0, 2])
            #expect(before[0].output == models + "\n")
            _ = try await run(install)
            let path = try await run(["models", "path", "boxes"])
            #expect(path.output == models + "/boxes/model.tflite\n")
            let removals = try await [run(["models", "remove", "boxes"]), run(["models", "remove", "boxes"])]
            #expect(removals.map(\.status) == [0, 2])
            #expect(!FileManager.default.fileExists(atPath: models + "/boxes"))
        }
    }

    @Test(arguments: [
        ["models", "install", "nothing-known"], ["models", "install", "boxes", "--mirror", "mirror"],
        ["models", "install", "boxes", "--mirror", "nowhere", "--accept-unverified"],
        ["models", "install", "../boxes", "--mirror", "mirror", "--accept-unverified"],
        ["models", "install", "boxes", "--from", "http://example.org/m.tflite", "--accept-unverified"],
        ["models", "install", "yolox-nano", "--from", "mirror/boxes/model.tflite"], ["models", "remove", ".."],
        ["models", "show", "nothing-known"],
    ])
    func whatCannotBeDoneIsSaidInOneLineAndChangesNothing(arguments: [String]) async throws {
        try await withHome { folder, run in
            let result = try await run(arguments)
            #expect(result.status == 2)
            #expect(result.output == "")
            #expect(result.errors.hasPrefix("sightline: ") && result.errors.filter { $0 == "\n" }.count == 1)
            let models = folder.appending(path: "data/sightline/models").path
            let content = (try? FileManager.default.contentsOfDirectory(atPath: models)) ?? []
            #expect(content.allSatisfy { $0 == ".lock" })
        }
    }

    @Test(arguments: [
        ["models", "install"], ["models", "install", "a", "--from", "x", "--mirror", "y"],
        ["models", "install", "a", "b", "--from", "x"],
    ])
    func aWrongCommandLineIsRefused(arguments: [String]) {
        let error = #expect(throws: (any Error).self) { try SightlineCommand.parseAsRoot(arguments) }
        #expect(error.map { SightlineCommand.exitCode(for: $0) } == .validationFailure)
    }

    @Test func progressIsALineOfFixedWidth() {
        #expect(
            DownloadText.line("yolox-nano", received: 1_958_690, expected: 3_917_380)
                == "yolox-nano [################················] 2.0 MB of 3.9 MB"
        )
        #expect(DownloadText.line("m", received: 900, expected: 300).hasSuffix("] 900 B of 300 B"))
        #expect(DownloadText.line("m", received: 12_000, expected: nil) == "m 12 kB")
    }
}
