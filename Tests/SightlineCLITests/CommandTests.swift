import Foundation
import Sightline
import SightlineTestSupport
import Testing

/// The command as a process: what it prints, and how it ends.
@Suite(.hangLimit)
struct CommandTests {
    private func withPictures(_ body: (URL) async throws -> Void) async throws {
        try await withTemporaryFolder { folder in
            try Pictures.write(
                [
                    "red.png": Pictures.png(red: 255), "green.png": Pictures.png(green: 255),
                    "more/blue.png": Pictures.png(blue: 255), "bad.png": Data("no picture".utf8),
                ],
                in: folder
            )
            try await body(folder)
        }
    }

    @Test func detectsInOnePictureAndPrintsATable() async throws {
        try await withPictures { folder in
            let result = try await Command.run(["detect", "red.png", "--model", Command.detector], in: folder)
            #expect(result.status == 0)
            #expect(result.errors == "")
            #expect(
                result.output == """
                    OBJECT  CONFIDENCE   X   Y  WIDTH  HEIGHT
                    red         90.0 %   8   2     16       8
                    blue        80.0 %  22  10     16       8

                    """
            )
        }
    }

    @Test func labelsPicturesRight() async throws {
        try await withPictures { folder in
            let result = try await Command.run(
                ["label", "red.png", "green.png", "more", "--model", Command.classifier, "--max-labels", "1"]
                    + ["--format", "csv", "--workers", "2"],
                in: folder
            )
            #expect(result.status == 0)
            let rows = result.lines.map { $0.split(separator: ",").prefix(2).joined(separator: " ") }
            #expect(rows == ["image label", "red.png red", "green.png green", "more/blue.png blue"])
        }
    }

    @Test func goesOnAfterABadPictureAndExitsWith1() async throws {
        try await withPictures { folder in
            let result = try await Command.run(
                ["detect", "bad.png", "red.png", "--format", "csv", "--model", Command.detector],
                in: folder
            )
            #expect(result.status == 1)
            // A heading, the reason for the first picture, and two objects of the second.
            #expect(result.lines.count == 4 && result.lines[1].hasPrefix("bad.png,,"))
            #expect(result.errors.hasPrefix("sightline: bad.png: ") && result.errors.filter { $0 == "\n" }.count == 1)
        }
    }

    @Test func exitsWith2IfEveryPictureIsBad() async throws {
        try await withPictures { folder in
            let result = try await Command.run(
                ["label", "bad.png", "none.png", "--model", Command.classifier],
                in: folder
            )
            #expect(result.status == 2)
            #expect(result.output.contains("2 pictures, 0 objects in 0 of them, 2 failed"))
        }
    }

    @Test(arguments: [
        ["detect", "red.png", "--model", "bad.png"], ["label", "red.png", "--model", "bad.png"],
        ["inspect", "missing.tflite"],
    ])
    func exitsWith2WithoutAUsableModel(command: [String]) async throws {
        try await withPictures { folder in
            let result = try await Command.run(command, in: folder)
            #expect(result.status == 2)
            #expect(result.output == "")
            #expect(result.errors.hasPrefix("sightline: "))
        }
    }

    @Test func exitsWith64ForAWrongCommandLine() async throws {
        #expect(try await Command.run(["detect", "x.png", "--nonsense"]).status == 64)
    }

    @Test func readsPathsFromStandardInputAndWritesALineForEach() async throws {
        try await withPictures { folder in
            let paths = Data("red.png\nbad.png\n\nmore/blue.png\r\nlast.png".utf8)
            let result = try await Command.run(
                ["detect", "--stdin", "--model", Command.detector, "--workers", "2"],
                input: paths,
                in: folder
            )
            #expect(result.status == 1)
            let records = try result.records()
            #expect(
                records.map { $0["image"] as? String } == ["red.png", "bad.png", "more/blue.png", "last.png"]
            )
            #expect(records.map { $0["error"] != nil } == [false, true, false, true])
            #expect(Set(try #require(records.first).keys) == ["image", "width", "height", "objects", "milliseconds"])
            let milliseconds = try #require(records.first?["milliseconds"] as? [String: Double])
            #expect(
                Set(milliseconds.keys) == ["decoding", "preprocessing", "inference", "postprocessing", "total"]
            )
        }
    }

    @Test func answersEachPathBeforeTheNextComes() async throws {
        try await withPictures { folder in
            let process = try await Command.program.start(
                ["label", "--stdin", "--model", Command.classifier, "--workers", "2"],
                in: folder
            )
            for name in ["red.png", "green.png"] {
                try await process.send("\(name)\n")
                try await process.waitForOutput { $0.contains(name) }
            }
            await process.closeInput()
            #expect(try await process.result().status == 0)
        }
    }

    @Test func readsAPicturesBytesFromStandardInput() async throws {
        let result = try await Command.run(
            ["label", "-", "--model", Command.classifier, "--format", "json"],
            input: try Pictures.png(green: 255)
        )
        #expect(result.status == 0)
        let records = try #require(
            try JSONSerialization.jsonObject(with: Data(result.output.utf8)) as? [[String: Any]]
        )
        #expect(records.first?["image"] as? String == "-")
        let labels = try #require(records.first?["labels"] as? [[String: Any]])
        #expect(labels.first?["text"] as? String == "green")
    }

    @Test func writesAnAnnotatedPicture() async throws {
        try await withPictures { folder in
            let result = try await Command.run(
                ["detect", "red.png", "--model", Command.detector, "--annotate", "out.png"],
                in: folder
            )
            #expect(result.status == 0)
            let annotated = try VisionImage(contentsOf: folder.appending(path: "out.png"))
            #expect(annotated.size == PixelSize(width: 40, height: 20))
            let original = try VisionImage(contentsOf: folder.appending(path: "red.png")).upright()
            #expect(try annotated.upright().planes.first?.data != original.planes.first?.data)
        }
    }

    @Test func writesAnnotatedPicturesOfAFolderIntoAFolder() async throws {
        try await withPictures { folder in
            let result = try await Command.run(
                ["label", ".", "--model", Command.classifier, "--annotate", "out"],
                in: folder
            )
            #expect(result.status == 1)
            for name in ["red.png", "green.png", "more/blue.png"] {
                #expect(try VisionImage(contentsOf: folder.appending(path: "out/\(name)")).size.width == 40)
            }
        }
    }

    @Test func neverOverwritesThePictureItself() async throws {
        try await withPictures { folder in
            let before = try Data(contentsOf: folder.appending(path: "red.png"))
            let result = try await Command.run(
                ["detect", "red.png", "--model", Command.detector, "--annotate", "./red.png"],
                in: folder
            )
            #expect(result.status == 2)
            #expect(result.errors.contains("overwrite"))
            #expect(try Data(contentsOf: folder.appending(path: "red.png")) == before)
        }
    }

    @Test func saysThatAnAnnotatedPictureCouldNotBeWrittenAfterPrintingTheResult() async throws {
        try await withPictures { folder in
            let result = try await Command.run(
                ["detect", "red.png", "--model", Command.detector, "--annotate", "missing/out.png"],
                in: folder
            )
            #expect(result.status == 2)
            #expect(result.lines.count == 3)
            #expect(result.errors.contains("the folder is missing"))
        }
    }

    @Test func picturesOfSeveralFoldersKeepTheirPaths() async throws {
        try await withPictures { folder in
            try Pictures.write(["less/blue.png": Pictures.png(blue: 255)], in: folder)
            let detect = ["detect", "more", "less", "more", "--model", Command.detector]
            let drawn = try await Command.run(detect + ["--annotate", "out"], in: folder)
            #expect(drawn.status == 0 && drawn.errors.isEmpty, "\(drawn.errors)")
            for name in ["out/more/blue.png", "out/less/blue.png"] {
                #expect(FileManager.default.fileExists(atPath: folder.appending(path: name).path))
            }
            let coco = try await Command.run(
                ["detect", "more", "less"] + detect.suffix(2) + ["--format", "coco"],
                in: folder
            )
            #expect(coco.output.contains(#""file_name":"more/blue.png""#))
            #expect(coco.output.contains(#""file_name":"less/blue.png""#))
        }
    }

    @Test(arguments: ["--annotate", "--crop"])
    func picturesOfOneNameDoNotOverwriteEachOther(option: String) async throws {
        try await withPictures { folder in
            let result = try await Command.run(
                ["detect", "more", "./more", "--model", Command.detector, option, "out"],
                in: folder
            )
            #expect(result.status == 1)
            #expect(
                result.errors.contains(
                    "would overwrite that of more/blue.png; analyze them in two runs, with two folders."
                )
            )
        }
    }

    @Test func aFolderThatCannotBeMadeIsToldInASentence() async throws {
        try await withPictures { folder in
            let model = ["--model", Command.detector]
            let result = try await Command.run(["detect", "red.png", "--crop", "bad.png/out"] + model, in: folder)
            #expect(result.status == 2)
            #expect(result.errors.hasSuffix("/bad.png/out/ cannot be written: Not a directory.\n"), "\(result.errors)")
        }
    }

    @Test func twoAsterisksAreRefusedInsteadOfLeavingOutPictures() async throws {
        try await withPictures { folder in
            let result = try await Command.run(["detect", "**/*.png", "--model", Command.detector], in: folder)
            #expect(result.status == 2)
            #expect(result.errors.contains("name the folder, which is read with its subfolders."))
        }
    }

    @Test func endsQuietlyWhenNobodyReadsItsOutput() async throws {
        try await withPictures { folder in
            let output = Pipe()
            // Nobody holds the reading end any more when the command writes.
            try output.fileHandleForReading.close()
            let process = try await Command.program.start(
                ["detect", "red.png", "green.png", "--model", Command.detector],
                in: folder,
                output: .descriptor(output.fileHandleForWriting.fileDescriptor)
            )
            let result = try await process.result()
            #expect(result.status != nil)
            #expect(result.errors.isEmpty)
        }
    }

    @Test(.enabled(if: FileManager.default.fileExists(atPath: "/dev/full"), "needs a device that is always full"))
    func saysThatItsResultsCannotBeKept() async throws {
        try await withPictures { folder in
            let full = try FileHandle(forWritingTo: URL(filePath: "/dev/full"))
            let process = try await Command.program.start(
                ["detect", "red.png", "--model", Command.detector],
                in: folder,
                output: .descriptor(full.fileDescriptor)
            )
            let result = try await process.result()
            #expect(result.status == 2)
            #expect(result.errors.hasPrefix("sightline: The results cannot be written"))
        }
    }

    @Test func endsAtOnceWhenInterruptedEvenWhileItWaitsForPaths() async throws {
        try await withPictures { folder in
            let result = try await Command.interrupted(
                by: SIGINT,
                ["label", "--stdin", "--model", Command.classifier],
                input: "red.png\n",
                in: folder
            ) { !$0.isEmpty }
            #expect(result.ending == .signaled(SIGINT))
            #expect(result.errors.isEmpty)
        }
    }

    @Test func inspectsAModel() async throws {
        let result = try await Command.run(["inspect", Command.detector])
        #expect(result.status == 0)
        for part in ["Color detector", "1 × 16 × 16 × 3 uInt8", "sightline detect", "red, green, blue", "0.5"] {
            #expect(result.output.contains(part), "\(part)")
        }
    }

    @Test func inspectsAModelAsJSON() async throws {
        let result = try await Command.run(["inspect", Command.classifier, "--format", "json"])
        let description = try #require(
            try JSONSerialization.jsonObject(with: Data(result.output.utf8)) as? [String: Any]
        )
        #expect(description["task"] as? String == "labeling")
    }

    @Test func inspectsAModelThatCannotBeUsedAndSaysWhy() async throws {
        let result = try await Command.run(["inspect", TestData.fixture("models/input_1d.tflite").path])
        #expect(result.status == 1)
        #expect(result.output.contains("Cannot be used"))
    }

    @Test(arguments: [["--help"], ["detect", "--help"], ["label", "--help"], ["inspect", "--help"]])
    func helpGivesExamples(arguments: [String]) async throws {
        let result = try await Command.run(arguments)
        #expect(result.status == 0)
        #expect(result.output.contains("Examples:"))
    }
}

/// The command on real models and photos.
@Suite(.hangLimit, .enabled(if: TestData.isAvailable, TestData.reason))
struct RealCommandTests {
    @Test func findsTheCatWhereItIs() async throws {
        let result = try await Command.run([
            "detect", TestData.real("images/cat_1080p.jpg").path, "--model",
            TestData.real("models/coco_ssd/detect.tflite").path, "--single", "--format", "jsonl",
        ])
        let objects = try #require(try result.records().first?["objects"] as? [[String: Any]])
        let labels = try #require(objects.first?["labels"] as? [[String: Any]])
        #expect(labels.first?["text"] as? String == "cat")
        let frame = try #require(objects.first?["frame"] as? [String: Double])
        let found = PixelRect(
            x: frame["x"] ?? 0,
            y: frame["y"] ?? 0,
            width: frame["width"] ?? 0,
            height: frame["height"] ?? 0
        )
        // Drawn by hand around the cat.
        #expect(found.iou(PixelRect(x: 180, y: 110, width: 1200, height: 970)) > 0.7)
    }

    @Test func namesFlowers() async throws {
        let pictures = ["daisy.jpeg", "roses.jpeg", "tulips.jpeg"].map { TestData.real("images/\($0)").path }
        let result = try await Command.run(
            ["label"] + pictures + ["--model", TestData.real("models/automl_flowers").path, "--format", "jsonl"]
        )
        let names = try result.records().map { ($0["labels"] as? [[String: Any]])?.first?["text"] as? String }
        #expect(names == ["daisy", "roses", "tulips"])
    }
}
