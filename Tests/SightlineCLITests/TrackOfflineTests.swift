import Foundation
import Sightline
import SightlineMedia
import SightlineTestSupport
import Testing

/// `sightline track --offline`.
@Suite(.hangLimit) struct TrackOfflineTests {
    private let video = [TestData.fixture("videos/h264-aac.mp4").path, "--model", Command.detector, "--offline"]

    private func track(_ arguments: [String], in folder: URL) async throws -> Command.Result {
        try await Command.run(["track"] + arguments, in: folder)
    }

    @Test func anObjectThatIsHiddenForLongHasOneIdentity() async throws {
        try await withTemporaryFolder { folder in
            let lines = (1...150).filter { !(51...100).contains($0) }.map { "\($0),-1,\($0),50,40,80,0.9\n" }
            try Data(lines.joined().utf8).write(to: folder.appending(path: "det.txt"))
            let online = try await track(["--detections", "det.txt"], in: folder)
            let offline = try await track(["--detections", "det.txt", "--offline"], in: folder)
            #expect(Set(online.lines.map { $0.split(separator: ",")[1] }) == ["1", "2"])
            #expect(Set(offline.lines.map { $0.split(separator: ",")[1] }) == ["1"])
            #expect(offline.lines.count > 140 && offline.errors == "")
        }
    }

    @Test func outputsOfOneRunAgreeAndDrawingChangesNoResult() async throws {
        try await withTemporaryFolder { folder in
            let plain = try await track(video + ["--format", "csv"], in: folder)
            let drawn = try await track(video + ["--format", "csv", "--annotate", "seen.mp4", "--trace"], in: folder)
            let blurred = try await track(video + ["--format", "csv", "--annotate", "seen/", "--blur"], in: folder)
            #expect(plain.status == 0 && plain.lines.count == 41)
            #expect(plain.output == drawn.output && plain.output == blurred.output)
            let seen = try VideoReader(contentsOf: folder.appending(path: "seen.mp4"))
            var count = 0
            while try seen.next() != nil { count += 1 }
            #expect(count == 20)
        }
    }

    @Test func countsComeFromTheFinalTracks() async throws {
        try await withTemporaryFolder { folder in
            let zone = ["--zone", "-9,-9 999,-9 999,999 -9,999", "--every", "3"]
            let result = try await track(video + zone, in: folder)
            #expect(result.lines.contains("2 objects: 1 blue, 1 red"))
            let counts = "zone 1: 0 entered, 2 began inside (1 blue, 1 red), 0 left, 2 last seen inside, "
            #expect(result.lines.contains { $0.hasPrefix(counts) }, "\(result.output)")
            #expect(result.lines.last?.hasPrefix("20 frames, ") == true)
        }
    }

    @Test(arguments: ["jsonl", "json", "mot", "coco", "table", "label-studio"])
    func everyFormatTakesIt(format: String) async throws {
        try await withTemporaryFolder { folder in
            let result = try await track(video + ["--format", format, "--output", "out.txt"], in: folder)
            #expect(result.status == 0 && result.lines.first == "2 objects: 1 blue, 1 red", "\(result.errors)")
        }
    }

    @Test(arguments: ["-", "/dev/video0", "rtsp://camera/1", "https://example.org/a.mp4"])
    func anInputWithoutAnEndIsRefusedWithTheNextStep(input: String) async throws {
        let result = try await Command.run(["track", input, "--offline"])
        #expect(result.status == 64)
        let step = "record \(input == "-" ? "standard input" : input) into a file first, or leave out --offline."
        #expect(result.errors.contains(step), "\(result.errors)")
    }

    @Test func theMostProminentObjectIsNotChosenOffline() async throws {
        let result = try await Command.run(["track", "a.mp4", "--offline", "--single"])
        #expect(result.status == 64 && result.errors.contains("leave out one of them"))
    }

    @Test func aVideoThatWasCutOffIsDoneUpToItsEnd() async throws {
        try await withTemporaryFolder { folder in
            let video = try Data(contentsOf: TestData.fixture("videos/mjpeg-pcm.avi"))
            try video.prefix(video.count / 2).write(to: folder.appending(path: "cut.avi"))
            let arguments = ["cut.avi", "--format", "csv", "--model", Command.detector, "--annotate", "seen/"]
            let online = try await track(arguments, in: folder)
            let offline = try await track(arguments + ["--offline"], in: folder)
            #expect(
                offline.status == 1 && offline.errors.contains("cut.avi: the end is missing (it says that it is 2.0 s")
            )
            #expect(offline.lines.count == online.lines.count + 2)
        }
    }
}

/// One picture of a whole video.
@Suite(.hangLimit) struct WholePictureTests {
    private let video = [TestData.fixture("videos/h264-aac.mp4").path, "--model", Command.detector]

    @Test(arguments: ["heat.png", "heat.jpg"], [[], ["--offline"], ["--draw", "heat,trace"], ["--trace"]])
    func aPictureShowsWhereObjectsStood(name: String, options: [String]) async throws {
        try await withTemporaryFolder { folder in
            let result = try await Command.run(["track"] + video + ["--annotate", name] + options, in: folder)
            #expect(result.status == 0 && result.lines.contains("2 objects: 1 blue, 1 red"), "\(result.errors)")
            let reader = try VideoReader(contentsOf: TestData.fixture("videos/h264-aac.mp4"))
            let picture = try VisionImage(contentsOf: folder.appending(path: name))
            #expect(picture.size == reader.info.size)
        }
    }

    @Test(arguments: [["--draw", "box"], ["--blur"], ["--draw", "heat,label"]])
    func marksOfSingleFramesAreRefused(options: [String]) async throws {
        let result = try await Command.run(["track", "a.mp4", "--annotate", "heat.png"] + options)
        #expect(result.status == 64 && result.errors.contains("is one picture of the whole video"), "\(result.errors)")
    }
}
