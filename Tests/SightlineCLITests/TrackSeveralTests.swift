import Foundation
import SightlineMedia
import SightlineTestSupport
import Testing

/// `sightline track` with several videos, and with a video on standard input.
@Suite(.hangLimit) struct TrackSeveralTests {
    private let model = ["--model", Command.detector]

    /// A folder `videos` with `a.mp4` and `more/b.avi`, and a picture.
    private func withVideos(_ body: (URL) async throws -> Void) async throws {
        try await withTemporaryFolder { folder in
            try Pictures.write(
                [
                    "videos/a.mp4": Data(contentsOf: TestData.fixture("videos/h264-aac.mp4")),
                    "videos/more/b.avi": Data(contentsOf: TestData.fixture("videos/mjpeg-pcm.avi")),
                    "videos/c.png": Pictures.png(red: 255),
                ],
                in: folder
            )
            try await body(folder)
        }
    }

    private func track(_ arguments: [String], in folder: URL) async throws -> Command.Result {
        try await Command.run(["track"] + arguments + model, in: folder)
    }

    private func frameCount(_ folder: URL, _ path: String) throws -> Int {
        let video = try VideoReader(contentsOf: folder.appending(path: path))
        var count = 0
        while try video.next() != nil { count += 1 }
        return count
    }

    @Test func eachVideoOfAFolderHasATableOfItsOwn() async throws {
        try await withVideos { folder in
            let result = try await track(["videos"], in: folder)
            #expect(result.status == 0)
            #expect(result.lines.first == "videos/a.mp4" && result.lines.contains("videos/more/b.avi"))
            #expect(result.lines.last == "2 videos")
            #expect(result.lines.count { $0.hasPrefix("    ID  LABEL") } == 2)
            // The ids of each video begin at 1.
            #expect(result.lines.count { $0.hasPrefix("     1  ") } == 2)
            #expect(
                result.errors
                    == "sightline: Skipped 1 picture beside the videos; `sightline detect` finds their objects.\n"
            )
        }
    }

    @Test func resultsOfEachVideoGoIntoFolders() async throws {
        try await withVideos { folder in
            let arguments = ["videos", "--output", "videos/out", "--annotate", "videos/seen", "--crop", "crops"]
            // The second run does not track the results of the first.
            for _ in 0..<2 {
                let result = try await track(arguments, in: folder)
                #expect(result.status == 0)
                #expect(result.lines.last == "2 videos")
            }
            for path in ["a.mp4.jsonl", "more/b.avi.jsonl"] {
                let file = folder.appending(path: "videos/out/" + path)
                let text = try String(contentsOf: file, encoding: .utf8)
                #expect(text.split(separator: "\n").count == 20, "\(path)")
            }
            #expect(try frameCount(folder, "videos/seen/a.mp4") == 20)
            #expect(try frameCount(folder, "videos/seen/more/b.avi.mp4") == 20)
            let crops = folder.appending(path: "crops/more/b.avi/1").path
            #expect(try !FileManager.default.contentsOfDirectory(atPath: crops).isEmpty)
        }
    }

    @Test func theFormatIsThatOfTheOption() async throws {
        try await withVideos { folder in
            let result = try await track(
                ["videos/a.mp4", "videos/more/b.avi", "--format", "csv", "-o", "out/"],
                in: folder
            )
            #expect(result.status == 0)
            let text = try String(contentsOf: folder.appending(path: "out/videos/a.mp4.csv"), encoding: .utf8)
            #expect(text.hasPrefix("frame,"))
            let yolo = try await track(["videos", "--format", "yolo", "-o", "set"], in: folder)
            #expect(yolo.status == 0)
            let set = try FileManager.default.contentsOfDirectory(atPath: folder.path + "/set/more/b.avi")
            #expect(!set.isEmpty)
        }
    }

    @Test func oneVideoCanHaveAFolderToo() async throws {
        try await withVideos { folder in
            let result = try await track(["videos/a.mp4", "--output", "out/"], in: folder)
            #expect(result.status == 0 && result.lines.last == "1 video")
            let file = folder.appending(path: "out/videos/a.mp4.jsonl").path
            #expect(FileManager.default.fileExists(atPath: file))
        }
    }

    @Test func aVideoThatFailsDoesNotStopTheOthers() async throws {
        try await withVideos { folder in
            try Pictures.write(["videos/0.mp4": Data("no video".utf8)], in: folder)
            let result = try await track(["videos", "missing.mp4", "s3://bucket/a.mp4"], in: folder)
            #expect(result.status == 1)
            #expect(result.lines.last == "5 videos, 3 failed")
            #expect(result.errors.contains("videos/0.mp4: this is not a readable video"))
            #expect(result.errors.contains("missing.mp4: the video cannot be opened"))
            #expect(result.errors.contains("copy the video here first: `aws s3 cp s3://bucket/a.mp4 .`."))
            let none = try await track(["missing.mp4", "absent.mp4"], in: folder)
            #expect(none.status == 2)
        }
    }

    @Test func resultsThatWouldOverwriteOthersAreRefused() async throws {
        try await withVideos { folder in
            try Pictures.write(
                ["other/a.mp4": Data(contentsOf: TestData.fixture("videos/h264-aac.mp4"))],
                in: folder
            )
            let result = try await track(["videos", "other", "--output", "out"], in: folder)
            #expect(result.status == 1)
            #expect(
                result.errors.contains(
                    "other/a.mp4: its results would have the names of those of videos/a.mp4; track it alone."
                )
            )
        }
    }

    @Test(arguments: [
        (["--format", "jsonl"], "--format jsonl has a file for each video; name a folder: --output results."),
        (["--output", "out.jsonl"], "--output out.jsonl is the name of a file, but several videos need a folder"),
        (["--annotate", "out.mp4"], "--annotate out.mp4 is the name of a file, but several videos need a folder"),
        (["--preview", "0"], "--preview shows one video; name a single video, or leave out --preview."),
    ]) func severalVideosNeedFolders(arguments: [String], expected: String) async throws {
        try await withVideos { folder in
            let result = try await track(["videos"] + arguments, in: folder)
            #expect(result.status == 64)
            #expect(result.output == "" && result.errors.contains(expected), "\(result.errors)")
        }
    }

    @Test func aProblemOfTheModelIsToldOnce() async throws {
        try await withVideos { folder in
            let result = try await Command.run(["track", "videos", "--model", "missing.tflite"], in: folder)
            #expect(result.status == 2)
            #expect(result.errors.filter { $0 == "\n" }.count == 1)
        }
    }

    // MARK: Standard input

    @Test(arguments: ["-", "/dev/stdin"]) func aVideoCanComeThroughAPipe(input: String) async throws {
        try await withTemporaryFolder { folder in
            let video = try Data(contentsOf: TestData.fixture("videos/h264-aac.mkv"))
            let result = try await Command.run(
                ["track", input, "--format", "jsonl", "--annotate", "seen.mp4"] + model,
                input: video,
                in: folder
            )
            #expect(result.status == 0)
            #expect(try result.records().count == 20)
            #expect(try frameCount(folder, "seen.mp4") == 20)
        }
    }

    @Test(arguments: [Data(), Data("no video".utf8)]) func whatIsNoVideoIsTold(input: Data) async throws {
        let result = try await Command.run(["track", "-"] + model, input: input)
        #expect(result.status == 2)
        #expect(result.errors.hasPrefix("sightline: standard input: no video can be read from it ("))
        #expect(result.errors.filter { $0 == "\n" }.count == 1)
    }

    @Test func aSignalEndsTheWaitForAVideoThatStalls() async throws {
        let video = try Data(contentsOf: TestData.fixture("videos/vp9-opus.webm"))
        let process = try await Command.program.start(["track", "-", "--format", "jsonl"] + model)
        try await process.send(video)
        try await process.waitForOutput { $0.contains("\n") }
        process.send(signal: SIGTERM)
        let result = try await process.result()
        #expect(result.status == 128 + SIGTERM)
        // The results so far are complete.
        #expect(try !result.records().isEmpty)
    }

    @Test func severalPicturesOnStandardInputAreAVideo() async throws {
        let video = try Data(contentsOf: TestData.fixture("videos/mjpeg.mjpeg"))
        let detected = try await Command.run(["detect", "-"] + model, input: video)
        #expect(detected.status == 2)
        #expect(detected.errors.contains("standard input has several pictures; `sightline track -` reads them"))
        let tracked = try await Command.run(["track", "-", "--format", "jsonl"] + model, input: video)
        #expect(try tracked.records().count > 1)
        let one = try await Command.run(["detect", "-"] + model, input: Pictures.png(red: 255))
        #expect(one.status == 0)
    }
}
