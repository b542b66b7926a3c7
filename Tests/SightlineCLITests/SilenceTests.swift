import Foundation
import Sightline
import SightlineMedia
import SightlineTestSupport
import Testing

/// The command reports everything that it leaves out, cuts or could misunderstand.
@Suite(.hangLimit) struct SilenceTests {
    private func withPictures(_ names: [String], _ body: (URL) async throws -> Void) async throws {
        try await withTemporaryFolder { folder in
            let red = try Pictures.png(red: 255)
            try Pictures.write(Dictionary(uniqueKeysWithValues: names.map { ($0, red) }), in: folder)
            try await body(folder)
        }
    }

    private let label = ["label", "--model", Command.classifier]
    private let detect = ["detect", "--model", Command.detector]

    // MARK: Files of other kinds

    @Test func picturesOfOtherKindsInAFolderAreCountedByKind() async throws {
        try await withPictures(["p/a.png", "p/album.dng/f.png"]) { folder in
            let raw = Data("II*\0\u{8}\0\0\0".utf8)
            let movie = Data([0, 0, 0, 8] + "wide".utf8)
            let others = [
                "p/b.DNG": raw, "p/c.dng": raw, "p/more/d.psd": Data("8BPS".utf8), "p/e.MOV": movie,
                "p/notes.txt": Data("x".utf8),
            ]
            try Pictures.write(others, in: folder)
            let result = try await Command.run(label + ["p", "--format", "jsonl"], in: folder)
            #expect(result.status == 1)
            #expect(try result.records().count == 2)
            #expect(
                result.errors == """
                    sightline: Skipped 2 DNG, 1 PSD and 1 MOV files: convert pictures to JPEG or PNG; \
                    `sightline track` reads videos.

                    """
            )
        }
    }

    @Test func picturesOfAllFormatsInAFolderAreRead() async throws {
        try await withPictures([]) { folder in
            let names = ["jpeg-420.jpg", "gif.gif", "bmp.bmp", "tiff.tif", "large.heic", "large.avif", "large.webp"]
            for name in names {
                let copy = folder.appending(path: name.replacing("heic", with: "HEIC"))
                try FileManager.default.copyItem(at: TestData.fixture("images/\(name)"), to: copy)
            }
            let result = try await Command.run(label + [".", "--format", "jsonl"], in: folder)
            #expect(result.status == 0 && result.errors == "")
            #expect(try result.records().count == names.count)
        }
    }

    @Test(arguments: ["a", "a.mpo", "a.apng", "a.jif", "a.pjpeg", "a.avifs", "a.txt", "a.mp4", "a.DNG"])
    func aPictureInAFolderIsReadWhateverItsName(name: String) async throws {
        try await withPictures([name].map { "p/\($0)" }) { folder in
            let result = try await Command.run(label + ["p", "--format", "jsonl"], in: folder)
            #expect(result.status == 0, "\(result.errors)")
            #expect(try result.records().map { $0["image"] as? String } == ["p/\(name)"])
        }
    }

    @Test func aVideoInAFolderIsTrackedWhateverItsName() async throws {
        try await withPictures(["v/note.png"]) { folder in
            let video = try Data(contentsOf: TestData.fixture("videos/h264-aac.mp4"))
            try Pictures.write(["v/a.jpg": video, "v/b": video, "v/c.ts": Data("let a = 1\n".utf8)], in: folder)
            let result = try await Command.run(["track", "v", "--model", Command.detector], in: folder)
            #expect(result.status == 0, "\(result.errors)")
            #expect(result.lines.filter { $0.hasPrefix("v/") } == ["v/a.jpg", "v/b"])
            #expect(result.errors.contains("Skipped 1 picture beside the videos"))
        }
    }

    @Test func aVideoWithTheNameOfAPictureFailsInAFolderOfPictures() async throws {
        try await withPictures(["p/a.png"]) { folder in
            let video = try Data(contentsOf: TestData.fixture("videos/h264-aac.mp4"))
            try Pictures.write(["p/b.jpg": video, "p/c": video], in: folder)
            let result = try await Command.run(label + ["p"], in: folder)
            #expect(result.status == 1)
            #expect(result.errors.contains("p/b.jpg: ") && result.errors.contains("use `sightline track`"))
            #expect(result.errors.contains("Skipped 1 video file"))
        }
    }

    @Test func aFolderOfVideosIsForAnotherCommand() async throws {
        try await withPictures([]) { folder in
            try Pictures.write(["v/a.mp4": Data([0, 0, 0, 8] + "moov".utf8)], in: folder)
            let result = try await Command.run(label + ["v"], in: folder)
            #expect(result.status == 2)
            #expect(result.errors.hasSuffix("HEIC and AVIF). Skipped 1 MP4 file: `sightline track` reads videos.\n"))
        }
    }

    // MARK: Text that acts on a terminal

    @Test func namesOfFilesDoNotActOnATerminal() async throws {
        try await withPictures(["p/a\u{1B}[31m\u{202E}\u{2066}.png"]) { folder in
            let name = "p/b\u{1B}]0;x\u{7}\u{202E}\n.png"
            let result = try await Command.run(label + ["p", name], in: folder)
            for text in [result.output, result.errors] {
                #expect(
                    !text.unicodeScalars.contains { ["\u{1B}", "\u{7}", "\u{202E}", "\u{2066}"].contains($0) },
                    "\(text)"
                )
            }
            #expect(result.errors.filter { $0 == "\n" }.count == 1)
            // Programs get the names as they are.
            let json = try await Command.run(label + ["p", "--format", "jsonl"], in: folder)
            #expect(try json.records().map { $0["image"] as? String } == ["p/a\u{1B}[31m\u{202E}\u{2066}.png"])
            #expect(!json.output.unicodeScalars.contains("\u{202E}"))
        }
    }

    @Test func linesOfAFileDoNotActOnATerminal() async throws {
        try await withPictures([]) { folder in
            try Pictures.write(["det.txt": Data("1,-1,\u{9B}31m\u{202E},0,1,1,1\n".utf8)], in: folder)
            let result = try await Command.run(["track", "--detections", "det.txt"], in: folder)
            #expect(result.status == 2 && result.errors.contains("line 1: the left is"))
            #expect(!result.errors.unicodeScalars.contains { $0 == "\u{9B}" || $0 == "\u{202E}" })
        }
    }

    @Test func cellsThatASpreadsheetWouldRunAreText() async throws {
        try await withPictures(["=1+1.png"]) { folder in
            try Pictures.write(["labels.txt": Data("=1+2\n-3\n@SUM(A1)\n".utf8)], in: folder)
            let arguments = [
                "label", "=1+1.png", "--model", Command.classifier, "--labels", "labels.txt", "--threshold", "0",
            ]
            let csv = try await Command.run(arguments + ["--format", "csv", "--output", "a.csv"], in: folder)
            #expect(csv.status == 0, "\(csv.errors)")
            let text = try String(contentsOf: folder.appending(path: "a.csv"), encoding: .utf8)
            #expect(text.contains("'=1+1.png,'=1+2,") && text.contains("'=1+1.png,-3,"))
            // A resumed run knows the picture.
            let again = try await Command.run(
                arguments + ["--format", "csv", "--output", "a.csv", "--resume"],
                in: folder
            )
            #expect(again.status == 0, "\(again.errors)")
        }
    }

    // MARK: Detections without scores

    @Test func detectionsWithoutAScoreCountAsCertain() async throws {
        try await withPictures([]) { folder in
            let lines = (1...4).map { "\($0),-1,10,10,20,20,-1" }.joined(separator: "\n") + "\n1,-1,60,60,9,9,-0.5\n"
            try Pictures.write(["det.txt": Data(lines.utf8)], in: folder)
            let result = try await Command.run(["track", "--detections", "det.txt"], in: folder)
            #expect(result.status == 0 && result.lines.count >= 3)
            #expect(result.errors.contains("4 detections without a score (-1) counted as certain."))
            #expect(result.errors.contains("Left out 1 detection with a score below 0"))
        }
    }

    @Test func aFolderOfOtherKindsAloneIsTold() async throws {
        try await withPictures([]) { folder in
            try Pictures.write(["p/a.DNG": Data("II*\0".utf8)], in: folder)
            let result = try await Command.run(label + ["p"], in: folder)
            #expect(result.status == 2)
            #expect(result.errors.contains("p: the folder holds no pictures"))
            #expect(result.errors.contains("Skipped 1 DNG file: convert pictures to JPEG or PNG."))
            #expect(result.errors.filter { $0 == "\n" }.count == 1)
        }
    }

    @Test func filesThatAreNeitherPicturesNorVideosAreNoMatter() async throws {
        try await withPictures(["p/a.png", "p/.hidden.png"]) { folder in
            let texts = [
                "labels.txt", "annotations.json", "a.xml", "a.txt", "main.ts", "Makefile", ".DS_Store", "Thumbs.db",
            ]
            try Pictures.write(
                Dictionary(uniqueKeysWithValues: texts.map { ("p/\($0)", Data("größe = 1\n".utf8)) }),
                in: folder
            )
            let result = try await Command.run(label + ["p"], in: folder)
            #expect(result.status == 0 && result.errors == "")
        }
    }

    @Test func aVideoIsForAnotherCommand() async throws {
        let result = try await Command.run(label + [TestData.fixture("videos/h264-aac.mp4").path])
        #expect(result.status == 2)
        #expect(result.errors.contains("but this is an MP4 or QuickTime video: use `sightline track`"))
    }

    @Test(arguments: ["gs://bucket/a.jpg", "s3://bucket/a.jpg"]) func anAddressOfAStorageIsNoFile(address: String)
        async throws
    {
        let result = try await Command.run(label + [address])
        #expect(result.status == 2)
        #expect(
            result.errors.contains("\(address): addresses of this kind are not read; copy the picture here first: `")
        )
    }

    // MARK: Limits

    @Test func aHundredObjectsAreFoundUnlessAnotherNumberIsAskedFor() async throws {
        #expect(ObjectDetectorOptions.defaultMaximumObjects == 100)
        let help = try await Command.run(["detect", "--help"]).output
        #expect(help.contains("(default: 100)"))
    }

    @Test func jsonSaysHowManyObjectsAreLeftOut() async throws {
        try await withPictures(["a.png"]) { folder in
            let few = try await Command.run(detect + ["a.png", "--max-objects", "1", "--format", "jsonl"], in: folder)
            #expect(try few.records().first?["omitted"] as? Int == 1)
            #expect(few.errors == "")
            let all = try await Command.run(detect + ["a.png", "--format", "jsonl"], in: folder)
            #expect(try all.records().first?["omitted"] == nil)
        }
    }

    @Test func aTableSaysHowManyObjectsAreLeftOut() async throws {
        try await withPictures(["a.png"]) { folder in
            let result = try await Command.run(detect + ["a.png", "--max-objects", "1"], in: folder)
            #expect(result.lines.count == 3 && result.lines.last == "and 1 more")
        }
    }

    @Test(.enabled(if: TestData.isAvailable, TestData.reason))
    func aLimitThatNobodyChoseIsTold() async throws {
        // Far below what is an object, so that there are more than a hundred.
        let result = try await Command.run([
            "detect", TestData.real("images/cats_and_dogs.jpg").path, "--threshold", "0.001", "--iou-threshold", "1",
            "--model", TestData.real("models/yolox/yolox_nano.tflite").path, "--format", "jsonl",
        ])
        let record = try #require(try result.records().first)
        #expect((record["objects"] as? [Any])?.count == 100)
        let total = 100 + (try #require(record["omitted"] as? Int))
        #expect(
            result.errors
                == "sightline: One picture has more than 100 objects, up to \(total); --max-objects \(total) gives all.\n"
        )
    }

    // MARK: Files of results

    @Test(arguments: ["csv", "jsonl", "coco"]) func aFileOfResultsThatCannotBeWrittenIsNoPicture(format: String)
        async throws
    {
        try await withPictures(["a.png"]) { folder in
            let result = try await Command.run(
                ["track", "a.png", "--model", Command.detector, "--format", format, "--output", "missing/out"],
                in: folder
            )
            #expect(result.status == 2)
            let rest =
                "missing/out could not be written (No such file or directory); check the folder and its permissions.\n"
            #expect(result.errors.hasPrefix("sightline: /") && result.errors.hasSuffix(rest))
        }
    }

    // MARK: Arguments

    @Test(arguments: [
        ["detect", "a.png", "--model", "a.tflite", "--model", "b.tflite"],
        ["label", "a.png", "--model=a.tflite", "--model", "b.tflite"],
        ["track", "a.mp4", "--every", "2", "--every", "3"],
    ])
    func anOptionThatCountsOnceMayNotBeGivenTwice(arguments: [String]) async throws {
        let result = try await Command.run(arguments)
        #expect(result.status == 64)
        #expect(result.errors.contains(" is given twice; leave one out."))
    }

    @Test func anOptionForSeveralMayBeRepeated() async throws {
        try await withPictures(["a.png"]) { folder in
            let result = try await Command.run(detect + ["a.png", "--allow", "red", "--allow", "blue"], in: folder)
            #expect(result.status == 0 && result.lines.count == 3)
        }
    }

    @Test func oneNameOfAPictureIsNoPlaceForSeveralAnnotatedOnes() async throws {
        try await withPictures(["a.png", "b.png"]) { folder in
            let result = try await Command.run(detect + ["a.png", "b.png", "--annotate", "two.png"], in: folder)
            #expect(result.status == 64)
            #expect(result.errors.contains("several pictures need a folder; name a folder"))
            #expect(!FileManager.default.fileExists(atPath: folder.appending(path: "two.png").path))
        }
    }

    @Test(arguments: [
        (["detect", "a.png", "--workers", "-1"], "--workers is -1; it must be 1 to 256."),
        (["detect", "a.png", "--threshold", "-0.5"], "--threshold is -0.5; it must be 0.0 to 1.0."),
        (["detect", "a.png", "--annotate", "out.gif"], "out.gif: "),
        (
            ["detect", "a.png", "--output", "out.parquet"],
            "there is no format for files of the type parquet; name a .csv or"
        ),
        (["detect", "a.png", "-m", "a", "--model", "b"], "--model is given twice; leave one out"),
        (["detect", "a.png", "-o", "a", "-o", "b"], "--output is given twice; leave one out"),
        (["detect", ""], "The name of a picture is empty"), (["track", ""], "The name of the input is empty"),
    ])
    func aNumberOrNameThatMakesNoSenseIsNamed(arguments: [String], expected: String) async throws {
        let result = try await Command.run(arguments)
        #expect(result.status == 64)
        #expect(result.errors.contains(expected))
    }

    // MARK: Models

    @Test(arguments: [
        (["label", "a.png", "--model", "coco-ssd"], "did you mean coco-ssd-mobilenet-v1?"),
        (["detect", "a.png", "--model", "yolox-naon"], "did you mean yolox-nano?"),
        (["detect", "a.png", "--model", "nonsense"], "There is neither a file nor a model of the name nonsense; `"),
        (["detect", "a.png", "--model", "my.tflite"], "Cannot read the model my.tflite: there is no such file"),
    ])
    func aModelThatIsNotThereIsToldWithWhatMayBeMeant(arguments: [String], expected: String) async throws {
        try await withPictures(["a.png"]) { folder in
            let result = try await Command.run(arguments, in: folder)
            #expect(result.status == 2)
            #expect(result.errors.contains(expected), "\(result.errors)")
        }
    }

    @Test(arguments: [
        (
            ["label", "a.png", "--model", Command.detector],
            "finds objects instead of naming pictures; use `sightline detect"
        ),
        (
            ["detect", "a.png", "--model", Command.classifier],
            "names pictures instead of finding objects; use `sightline label"
        ),
        (["detect", "a.png", "--classifier", Command.detector], "finds objects instead of naming pictures; use"),
        (["track", "a.png", "--model", Command.classifier], "names pictures instead of finding objects; use"),
    ])
    func aModelForTheOtherTaskNamesItsCommand(arguments: [String], expected: String) async throws {
        try await withPictures(["a.png"]) { folder in
            let result = try await Command.run(arguments, in: folder)
            #expect(result.status == 2)
            #expect(result.errors.contains(expected), "\(result.errors)")
        }
    }

    // MARK: Interruption

    @Test(arguments: [SIGINT, SIGTERM]) func anInterruptedArrayOfJSONIsWhole(signal: Int32) async throws {
        try await withPictures(["a.png"]) { folder in
            let result = try await Command.interrupted(
                by: signal,
                label + ["--stdin", "--format", "json"],
                input: "a.png\na.png\n",
                in: folder
            ) { $0.count { $0 == "}" } >= 4 }
            #expect(result.ending == .signaled(signal))
            let records = try JSONSerialization.jsonObject(with: Data(result.output.utf8)) as? [[String: Any]]
            #expect((records?.count ?? 0) >= 1)
        }
    }

    @Test func anArrayWithoutARecordIsWholeToo() async throws {
        let text = try await Command.interrupted(by: SIGINT, label + ["-", "--format", "json"]) { !$0.isEmpty }.output
        #expect(text == "[]\n")
    }

    @Test func aSecondInterruptionEndsACommandWhoseOutputNobodyReads() async throws {
        try await withPictures(["a.png"]) { folder in
            let output = Pipe()
            let process = try await Command.program.start(
                label + ["--stdin", "--format", "json"],
                in: folder,
                output: .descriptor(output.fileHandleForWriting.fileDescriptor)
            )
            // More records than a pipe holds.
            try await process.send(String(repeating: "a.png\n", count: 2000))
            // Until it is ended: a signal that comes too soon after another counts as the same.
            while process.isRunning {
                process.send(signal: SIGINT)
                try await Task.sleep(for: .milliseconds(200))
            }
            guard case .signaled = try await process.result().ending else {
                Issue.record("the command ended by itself")
                return
            }
        }
    }
}
