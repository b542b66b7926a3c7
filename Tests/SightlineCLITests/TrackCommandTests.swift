import Foundation
import Sightline
import SightlineMedia
import SightlineTestSupport
import Testing

/// `sightline track` as a process, on generated pictures and detections.
@Suite(.hangLimit) struct TrackCommandTests {
    /// A folder `frames` of twelve pictures, in which the fixture detector finds red and blue.
    private func withFrames(_ body: (URL) async throws -> Void) async throws {
        try await withTemporaryFolder { folder in
            for number in 1...12 {
                try Pictures.write(["frames/00\(10 + number).png": Pictures.png(red: 255)], in: folder)
            }
            try await body(folder)
        }
    }

    private func track(_ arguments: [String], in folder: URL) async throws -> Command.Result {
        try await Command.run(["track"] + arguments, in: folder)
    }

    private let model = ["--model", Command.detector]

    @Test func printsARowForEachObjectAndASummary() async throws {
        try await withFrames { folder in
            let result = try await track(["frames"] + model, in: folder)
            #expect(result.status == 0)
            #expect(result.errors == "")
            let heading = "    ID  LABEL                   FIRST SEEN     LAST SEEN    DURATION  CONFIDENCE"
            #expect(result.lines.first == heading)
            #expect(result.lines.count == 6)
            #expect(result.lines[3] == "2 objects: 1 blue, 1 red")
            #expect(result.lines[5].hasPrefix("12 frames, "))
        }
    }

    @Test func printsALineOfJSONForEachFrame() async throws {
        try await withFrames { folder in
            let result = try await track(["frames", "--format", "jsonl", "--every", "3"] + model, in: folder)
            #expect(result.status == 0)
            let records = try result.records()
            #expect(records.map { $0["index"] as? Int } == Array(0..<12))
            #expect(records.map { $0["detected"] as? Bool } == (0..<12).map { $0 % 3 == 0 })
            let last = try #require(records.last?["objects"] as? [[String: Any]])
            #expect(last.map { $0["id"] as? Int } == [1, 2])
            // Results for programs are not mixed with words for people.
            #expect(result.errors.contains("2 objects: 1 blue, 1 red"))
        }
    }

    @Test func skipsFramesAboveARate() async throws {
        try await withFrames { folder in
            let arguments = ["frames", "--frame-rate", "10", "--fps", "5", "--format", "jsonl"] + model
            let result = try await track(arguments, in: folder)
            #expect(result.status == 0)
            let records = try result.records()
            #expect(records.map { $0["index"] as? Int } == [0, 2, 4, 6, 8, 10])
            #expect(records.map { $0["time"] as? Double } == [0, 0.2, 0.4, 0.6, 0.8, 1])
            #expect(records.allSatisfy { $0["dropped"] as? Int == 0 && $0["detected"] as? Bool == true })
            #expect(result.errors.contains("2 objects: 1 blue, 1 red"))
            #expect(result.errors.contains("6 frames, "))
        }
    }

    @Test func runsTheDetectorOnlyWhileThePictureChanges() async throws {
        try await withFrames { folder in
            let arguments =
                ["frames", "--frame-rate", "4", "--motion", "--camera", "fixed", "--format", "jsonl"] + model
            let records = try await track(arguments, in: folder).records()
            // The first half second, and a look two seconds later.
            #expect(records.map { $0["detected"] as? Bool == true } == (0..<12).map { [0, 1, 9].contains($0) })
            let last = try #require(records.last?["objects"] as? [[String: Any]])
            #expect(last.map { $0["id"] as? Int } == [1, 2])
        }
    }

    /// The tracker forgets what it does not see for 1.5 seconds; here the frames are 20 seconds apart.
    @Test func followsObjectsThroughFramesFarApart() async throws {
        try await withFrames { folder in
            let result = try await track(
                ["frames", "--frame-rate", "1", "--fps", "0.05", "--format", "jsonl"] + model,
                in: folder
            )
            #expect(try result.records().map { $0["index"] as? Int } == [0])
            let slow = try await track(["frames", "--frame-rate", "0.05"] + model, in: folder)
            #expect(slow.lines.contains("2 objects: 1 blue, 1 red"), "\(slow.output)")
        }
    }

    @Test func tellsObjectsApartByTheirColors() async throws {
        try await withFrames { folder in
            let result = try await track(["frames", "--appearance", "--format", "jsonl"] + model, in: folder)
            #expect(result.status == 0)
            let last = try #require(result.records().last?["objects"] as? [[String: Any]])
            #expect(last.map { $0["id"] as? Int } == [1, 2])
        }
    }

    @Test(arguments: ["csv", "mot", "coco"]) func writesResultsToAFile(format: String) async throws {
        try await withFrames { folder in
            let result = try await track(["frames", "--format", format, "--output", "out.txt"] + model, in: folder)
            #expect(result.status == 0)
            #expect(result.lines.first == "2 objects: 1 blue, 1 red")
            let text = try String(contentsOf: folder.appending(path: "out.txt"), encoding: .utf8)
            #expect(text.split(separator: "\n").count >= 20)
        }
    }

    @Test(arguments: [("out.jsonl", #"{"index":0,"#), ("out.csv", "frame,"), ("out.JSON", "[\n{\"index\":0,")])
    func theNameOfTheFileSaysTheFormat(name: String, beginning: String) async throws {
        try await withFrames { folder in
            #expect(try await track(["frames", "--output", name] + model, in: folder).status == 0)
            let text = try String(contentsOf: folder.appending(path: name), encoding: .utf8)
            #expect(text.hasPrefix(beginning), "\(text.prefix(40))")
        }
    }

    @Test func aVideoIsNoFileForResultsAsText() async throws {
        try await withFrames { folder in
            let result = try await track(["frames", "--output", "out.mp4"] + model, in: folder)
            #expect(result.status == 64)
            #expect(result.errors.contains("use --annotate out.mp4."))
            #expect(!FileManager.default.fileExists(atPath: folder.appending(path: "out.mp4").path))
        }
    }

    @Test func reportsTheMostProminentObjectAlone() async throws {
        try await withFrames { folder in
            let result = try await track(["frames", "--single", "--format", "mot"] + model, in: folder)
            let identities = Set(result.lines.map { $0.split(separator: ",")[1] })
            #expect(identities.count == 1 && result.lines.count >= 10)
        }
    }

    @Test func countsWhoIsInAZone() async throws {
        try await withFrames { folder in
            let result = try await track(
                ["frames", "--zone", "0,0 20,0 20,20 0,20", "--line", "0,0,0,20"] + model,
                in: folder
            )
            #expect(result.lines.contains { $0.hasPrefix("line 1: 0 in, 0 out") })
            let zone = "zone 1: 0 entered, 1 began inside (1 red), 0 left, 1 last seen inside, "
            #expect(result.lines.contains { $0.hasPrefix(zone) })
        }
    }

    @Test func writesAnAnnotatedVideoAndPictures() async throws {
        try await withFrames { folder in
            try #require(
                try await track(["frames", "--annotate", "out.mp4", "--trace"] + model, in: folder).status == 0
            )
            let video = try VideoReader(contentsOf: folder.appending(path: "out.mp4"))
            var count = 0
            while try video.next() != nil { count += 1 }
            #expect(count == 12)
            // The written video can be followed in turn.
            let again = try await track(["out.mp4", "--format", "mot", "--annotate", "pictures/"] + model, in: folder)
            #expect(again.status == 0 && again.lines.count >= 20)
            #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path + "/pictures").count == 12)
        }
    }

    @Test func looksAtAPartOfTheVideo() async throws {
        try await withFrames { folder in
            let result = try await track(
                ["frames", "--frame-rate", "4", "--from", "1", "--to", "0:02", "--format", "jsonl"] + model,
                in: folder
            )
            #expect(try result.records().map { $0["time"] as? Double } == [1, 1.25, 1.5, 1.75])
        }
    }

    @Test(arguments: ["img1", "img1/", "img1/%04d.png"])
    func theFrameRateOfASequenceIsInItsSeqinfo(input: String) async throws {
        try await withFrames { folder in
            try FileManager.default.moveItem(
                at: folder.appending(path: "frames"),
                to: folder.appending(path: "img1")
            )
            try Data("[Sequence]\nframeRate=4\n".utf8).write(to: folder.appending(path: "seqinfo.ini"))
            let times = try await track([input, "--to", "1", "--format", "jsonl"] + model, in: folder).records()
                .map { $0["time"] as? Double }
            #expect(times == [0, 0.25, 0.5, 0.75])
            let chosen = try await track(
                [input, "--to", "1", "--frame-rate", "2", "--format", "jsonl"] + model,
                in: folder
            )
            #expect(try chosen.records().map { $0["time"] as? Double } == [0, 0.5])
        }
    }

    @Test func aVideoThatWasCutOffIsTold() async throws {
        try await withTemporaryFolder { folder in
            let video = try Data(contentsOf: TestData.fixture("videos/mjpeg-pcm.avi"))
            try video.prefix(video.count / 2).write(to: folder.appending(path: "cut.avi"))
            let result = try await track(["cut.avi", "--format", "csv"] + model, in: folder)
            #expect(result.status == 1)
            #expect(result.lines.count > 1)
            #expect(result.errors.contains("cut.avi: the end is missing (it says that it is 2.0 s long, but"))
        }
    }

    @Test func aDamagedPictureIsSkippedAndNamed() async throws {
        try await withFrames { folder in
            let picture = try Data(contentsOf: folder.appending(path: "frames/0015.png"))
            try picture.prefix(picture.count * 2 / 3).write(to: folder.appending(path: "frames/0015.png"))
            let result = try await track(["frames", "--format", "mot"] + model, in: folder)
            #expect(result.status == 0)
            let frames = Set(result.lines.compactMap { Int($0.split(separator: ",")[0]) })
            #expect(frames == Set(2...12).subtracting([5]))
            #expect(result.errors.contains("frames/s, 1 damaged\n"))
            #expect(result.errors.contains("sightline: Skipped ") && result.errors.contains("frames/0015.png: "))
        }
    }

    @Test func aGapInTheNumbersOfPicturesIsTold() async throws {
        try await withFrames { folder in
            try FileManager.default.removeItem(at: folder.appending(path: "frames/0014.png"))
            let result = try await track(["frames/%04d.png"] + model, in: folder)
            #expect(result.status == 0)
            #expect(result.lines.last?.hasSuffix("frames/s, 1 missing") == true)
            #expect(result.lines.last?.hasPrefix("11 frames, ") == true)
            #expect(
                result.errors == """
                    sightline: frames/%04d.png has a gap: 1 picture is missing from 0014.png on; later pictures keep their \
                    times.

                    """
            )
        }
    }

    @Test func picturesThatTheShellListsAreOneVideo() async throws {
        try await withFrames { folder in
            let names = (1...12).map { "frames/00\(10 + $0).png" }
            for inputs in [names, ["frames/*.png"], ["frames/0???.png"]] {
                let result = try await track(inputs + model, in: folder)
                #expect(result.lines.last?.hasPrefix("12 frames, ") == true, "\(result.errors)")
                #expect(result.lines.contains("2 objects: 1 blue, 1 red"))
            }
        }
    }

    /// A machine with a graphics processor decodes there, and says nothing.
    @Test(
        .enabled(
            if: !FileManager.default.fileExists(atPath: "/dev/dri"),
            "needs a machine without a graphics processor"
        )
    )
    func softwareDecodesWhereTheGraphicsProcessorCannot() async throws {
        let input = ["track", TestData.fixture("videos/h264-aac.mp4").path, "--format", "csv"] + model
        let plain = try await Command.run(input)
        let asked = try await Command.run(input + ["--decoder", "vaapi"])
        #expect(asked.status == 0 && asked.output == plain.output)
        let lines = asked.errors.split(separator: "\n").filter { $0.contains("The graphics processor cannot decode") }
        #expect(lines.count == 1 && lines.allSatisfy { $0.hasSuffix("so software does, which is slower.") })
    }

    @Test(arguments: ["jsonl", "csv"]) func theEventsOfAVideoAreInAFile(type: String) async throws {
        try await withFrames { folder in
            let zone = ["--zone", "0,0 20,0 20,20 0,20", "--line", "0,0,0,20"]
            let result = try await track(
                ["frames", "--events", "events.\(type)", "--format", "jsonl"] + zone + model,
                in: folder
            )
            #expect(result.status == 0)
            let file = try String(contentsOf: folder.appending(path: "events.\(type)"), encoding: .utf8)
            let lines = file.split(separator: "\n")
            let names = lines.map { line in
                type == "csv" ? String(line.prefix { $0 != "," }) : String(line.dropFirst(10).prefix { $0 != "\"" })
            }
            #expect(names.filter { $0 == "appeared" }.count == 2 && names.filter { $0 == "lost" }.count == 2)
            // The frames have all events but those that the end of the stream brings.
            let inFrames = try result.records().flatMap { $0["events"] as? [[String: Any]] ?? [] }
            let known = Array(names.drop { $0 == "event" })
            #expect(
                inFrames.compactMap { $0["event"] as? String } == known.filter { $0 != "lost" && $0 != "endedInside" }
            )
        }
    }

    @Test func countsByPeriodAreInAFile() async throws {
        try await withFrames { folder in
            let arguments = ["frames", "--zone", "0,0 20,0 20,20 0,20", "--counts", "counts.csv", "--period", "1s"]
            #expect(try await track(arguments + model, in: folder).status == 0)
            let file = try String(contentsOf: folder.appending(path: "counts.csv"), encoding: .utf8)
            let lines = file.split(separator: "\n")
            #expect(lines.first == "start,end,place,label,entered,left,mean_inside")
            #expect(lines.dropFirst().allSatisfy { $0.contains(",zone 1,red,0,0,") } && lines.count >= 2)
        }
    }

    @Test(arguments: [["--counts", "a.csv"], ["--line", "0,0,0,20", "--period", "1h"]])
    func countsNeedAPlaceAndAFile(_ arguments: [String]) async throws {
        let result = try await Command.run(["track", "a.mp4"] + arguments)
        #expect(result.status == 64)
    }

    @Test(arguments: [[], ["--motion"], ["--motion", "--every", "3"]])
    func drawingDoesNotChangeTheResults(options: [String]) async throws {
        try await withTemporaryFolder { folder in
            let input = [TestData.fixture("videos/h264-aac.mp4").path, "--format", "csv"] + options + model
            let plain = try await track(input, in: folder)
            let drawn = try await track(input + ["--annotate", "seen.mp4", "--trace"], in: folder)
            let blurred = try await track(input + ["--annotate", "seen/", "--blur"], in: folder)
            #expect(plain.output == drawn.output && plain.output == blurred.output)
            #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path + "/seen").count == 20)
        }
    }

    @Test(arguments: [
        (["--line", "1,2,3"], "A line has two points of two numbers each, for example --line 0,400,1280,400."),
        (["--line", "1,2,1,2"], "Both points are the same; a line needs two, for example"),
        (["--zone", "0,0 1,1"], "A zone has at least three corners, with spaces between them, in quotes, for example"),
        (["--zone", "0,0 1,1 2"], "The corner 2 is not two numbers with a comma between them, for example"),
        (["--to", "abc"], "A time is a number of seconds, mm:ss or hh:mm:ss, for example 90, 1:30 or 0:01:30.5."),
    ]) func aWrongValueIsToldWithAnExample(arguments: [String], sentence: String) async throws {
        let result = try await Command.run(["track", "a.mp4"] + arguments)
        #expect(result.status == 64 && result.errors.contains(sentence), "\(result.errors)")
    }

    @Test func aBeginningBeyondTheEndIsTold() async throws {
        try await withFrames { folder in
            let result = try await track(["frames", "--from", "5:00"] + model, in: folder)
            #expect(result.status == 0)
            #expect(result.errors == "sightline: --from 5:00.0 lies beyond the end of frames, which is 0:00.4 long.\n")
        }
    }

    @Test func picturesHaveTheNamesThatResultsGiveThem() async throws {
        try await withFrames { folder in
            let output = ["--format", "coco", "--output", "out.json"]
            for (place, names) in [("drawn", "drawn/000001.jpg"), ("new/shot%03d.png", "new/shot001.png")] {
                let result = try await track(["frames", "--annotate", place] + output + model, in: folder)
                #expect(result.status == 0, "\(result.errors)")
                #expect(FileManager.default.fileExists(atPath: folder.appending(path: names).path))
            }
            #expect(
                try String(contentsOf: folder.appending(path: "out.json"), encoding: .utf8).contains("\"000001.jpg\"")
            )
        }
    }

    @Test func aLineOrZoneOutsideOfTheFrameIsTold() async throws {
        try await withFrames { folder in
            let outside = ["--line", "41,0,50,20", "--zone", "0,-9 40,-9 20,-1"]
            let result = try await track(["frames"] + outside + ["--line", "0,0,50,20"] + model, in: folder)
            #expect(result.status == 0)
            #expect(
                result.errors == """
                    sightline: Line 1 lies outside the frame of 40 × 20 pixels, where it counts nothing.
                    sightline: Zone 1 lies outside the frame of 40 × 20 pixels, where it counts nothing.

                    """
            )
        }
    }

    @Test(arguments: [
        [], ["a.mp4", "--detections", "det.txt"], ["--detections", "det.txt", "--line", "0,0,1,1"],
        ["a.mp4", "--every", "0"], ["a.mp4", "--line", "1,2,3"],
        ["a.mp4", "--zone", "1,2 3,4"], ["a.mp4", "--from", "3", "--to", "2"], ["a.mp4", "--preview", "70000"],
        ["a.mp4", "--labels", "x.txt"], ["--detections", "det.txt", "--annotate", "x.mp4"],
        ["--detections", "det.txt", "--appearance"],
        ["a.mp4", "--from", "1:61"],
    ]) func exitsWith64ForAWrongCommandLine(arguments: [String]) async throws {
        #expect(try await Command.run(["track"] + arguments).status == 64)
    }

    @Test func exitsWith2WithoutAUsableInputOrModel() async throws {
        try await withFrames { folder in
            for arguments in [
                ["missing.mp4"] + model, ["frames", "--model", "missing.tflite"],
                ["frames", "--annotate", "missing/out.mp4"] + model,
                ["frames", "--output", "missing/out.txt"] + model, ["--detections", "missing.txt"],
            ] {
                let result = try await track(arguments, in: folder)
                #expect(result.status == 2, "\(arguments)")
                #expect(result.errors.hasPrefix("sightline: ") && result.errors.filter { $0 == "\n" }.count == 1)
            }
        }
    }

    @Test(arguments: [SIGINT, SIGTERM]) func aSignalInMidFileLeavesAPlayableFileAndResults(signal: Int32) async throws {
        try await withTemporaryFolder { folder in
            // More pictures than are worked off in the time; one file under many names.
            try Pictures.write(["frames/0.png": Pictures.png(red: 255)], in: folder)
            for number in 1...20_000 {
                try FileManager.default.linkItem(
                    atPath: folder.path + "/frames/0.png",
                    toPath: folder.path + "/frames/\(number).png"
                )
            }
            let process = try await Command.program.start(
                ["track", "frames", "--annotate", "out.mp4", "--format", "coco", "--output", "out.json"] + model,
                in: folder
            )
            try await wait {
                try #require(process.isRunning)
                return (try? Data(contentsOf: folder.appending(path: "out.json")).count) ?? 0 < 10_000
            }
            process.send(signal: signal)
            #expect(try await process.result().status == 128 + signal)
            let video = try VideoReader(contentsOf: folder.appending(path: "out.mp4"))
            var count = 0
            while try video.next() != nil { count += 1 }
            let document = try #require(
                try JSONSerialization.jsonObject(
                    with: Data(contentsOf: folder.appending(path: "out.json"))
                ) as? [String: [[String: Any]]]
            )
            #expect(count > 10 && document["images"]?.count == count)
        }
    }
}

/// `sightline track --detections`.
@Suite(.hangLimit)
struct TrackDetectionsTests {
    /// One object that goes to the right, and another that is seen only once.
    private let detections =
        (1...10).map { "\($0),-1,\($0 * 3),50,40,80,0.9,-1,-1,-1\n" }.joined() + "4,-1,300,50,40,80,0.9\n"

    private func track(_ arguments: [String]) async throws -> Command.Result {
        try await withTemporaryFolder { folder in
            try Data(detections.utf8).write(to: folder.appending(path: "det.txt"))
            return try await Command.run(["track", "--detections", "det.txt"] + arguments, in: folder)
        }
    }

    @Test func writesTheBoxesWithIdentities() async throws {
        let result = try await track([])
        #expect(result.status == 0 && result.errors == "")
        let rows = result.lines.map { $0.split(separator: ",") }
        #expect(Set(rows.map { $0[1] }) == ["1"])
        #expect(rows.last?.joined(separator: ",") == "10,1,30.0,50.0,40.0,80.0,0.9,-1,-1,-1")
    }

    @Test func printsATableToo() async throws {
        let lines = try await track(["--format", "table", "--frame-rate", "10"]).lines
        #expect(lines.count == 2)
        #expect(lines.last?.hasPrefix("     1  object                      0:00.0        0:00.9       0.9 s") == true)
    }

    @Test func aThresholdBeginsNoWeakerObjects() async throws {
        #expect(try await track(["--threshold", "0.95"]).lines.isEmpty)
    }

    @Test func aBadLineIsSaidInOneSentence() async throws {
        try await withTemporaryFolder { folder in
            try Data("1,-1,2\n".utf8).write(to: folder.appending(path: "det.txt"))
            let result = try await Command.run(["track", "--detections", "det.txt"], in: folder)
            #expect(result.status == 2 && result.output == "")
            #expect(result.errors.contains("det.txt, line 1: it has 3 columns, expected 7 to 10; "))
        }
    }
}

/// The command on real videos.
@Suite(.hangLimit, .enabled(if: TestData.isAvailable, TestData.reason))
struct RealTrackCommandTests {
    @Test func aPersonWhoWalksByHasOneNumber() async throws {
        let result = try await Command.run([
            "track", TestData.real("video/one-by-one-person-detection.mp4").path, "--from", "0:06", "--to", "0:19",
            "--model", TestData.real("models/coco_ssd/detect.tflite").path, "--allow", "person", "--format", "csv",
        ])
        #expect(result.status == 0)
        let rows = result.lines.dropFirst().map { $0.split(separator: ",", omittingEmptySubsequences: false) }
        let counts = Dictionary(grouping: rows) { $0[2] }.mapValues(\.count)
        #expect(counts.count == 1 && (counts.values.first ?? 0) > 100, "\(counts)")
    }
}
