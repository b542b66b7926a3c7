import Foundation
import SightlineTestSupport
import Testing

/// Frames that a program sends to `track`, one after the other.
@Suite(.hangLimit) struct TrackFramesTests {
    private let track = ["track", "--stdin-format", "frames", "--model", Command.detector]

    private func frame(_ name: String, _ picture: Data) -> Data { Data("\(picture.count) \(name)\n".utf8) + picture }

    private func red(_ name: String) throws -> Data { try frame(name, Pictures.png(red: 255)) }

    private func ids(_ record: [String: Any]) -> [Int] {
        (record["objects"] as? [[String: Any]] ?? []).compactMap { $0["id"] as? Int }
    }

    @Test func eachAnswerComesBeforeTheNextFrameIsSent() async throws {
        let process = try await Command.program.start(track)
        for number in 0..<3 {
            try await process.send(red("\(number)"))
            try await process.waitForOutput { $0.hasSuffix("\n") && $0.contains("\"index\":\(number),") }
        }
        await process.closeInput()
        #expect(try await process.result().status == 0)
    }

    @Test func theObjectsAreThoseOfAVideoOfTheSameFrames() async throws {
        try await withTemporaryFolder { folder in
            for number in 1...9 { try Pictures.write(["frames/00\(number).png": Pictures.png(red: 255)], in: folder) }
            let options = ["--frame-rate", "10", "--every", "2", "--no-times", "--line", "2,0,2,50"]
            let video = ["track", "frames", "--format", "jsonl", "--model", Command.detector, "--workers", "1"]
            let expected = try await Command.run(video + options, in: folder)
            let frames = try (1...9).map { _ in try red("frame") }.reduce(Data(), +)
            let found = try await Command.run(track + options, input: frames)
            #expect(found.output == expected.output && found.errors == "")
            #expect(try found.records().last.map(ids) == [1, 2])
        }
    }

    @Test func aNameThatIsANumberIsTheTimeOfTheFrame() async throws {
        let frames = try red("0.5") + red("2") + red("1e1")
        let records = try await Command.run(track, input: frames).records()
        #expect(records.map { $0["time"] as? Double } == [0.5, 2, 10])
    }

    @Test(arguments: ["0.5", "-1", "1e300", "nan"]) func aTimeThatDoesNotFollowIsAnError(time: String) async throws {
        let frames = try red("1.5") + red(time) + red("2")
        let result = try await Command.run(track, input: frames)
        let records = try result.records()
        #expect(result.status == 0)
        #expect(records.map { $0["error"] != nil } == [false, true, false])
        #expect(records.map { $0["index"] as? Int } == [0, nil, 2])
    }

    @Test func aFrameThatCannotBeReadDoesNotEndTheStream() async throws {
        let frames =
            try red("a") + red("b") + frame("noise", Data("none".utf8)) + frame("empty", Data()) + red("c") + red("d")
        let records = try await Command.run(track, input: frames).records()
        #expect(records.map { $0["image"] as? String } == [nil, nil, "noise", "empty", nil, nil])
        // The damaged frame has a place in the stream. An empty one is only answered.
        #expect(records.map { $0["index"] as? Int } == [0, 1, nil, nil, 3, 4])
        #expect(records.last.map(ids) == [1, 2])
    }

    @Test func aMissingModelIsReportedBeforeTheFirstFrame() async throws {
        let result = try await Command.run(["track", "--stdin-format", "frames", "--model", "/no/model.tflite"])
        #expect(result.status == 2 && result.errors.contains("/no/model.tflite"))
    }

    @Test(arguments: [
        ["a.mp4"], ["--format", "csv"], ["--output", "a.jsonl"], ["--annotate", "a.mp4"], ["--offline"],
        ["--fps", "2"],
        ["--counts", "a.csv"], ["--pixels"], ["--frame-rate", "0"], ["--confirm", "1"],
    ])
    func optionsOfAVideoAreRefused(options: [String]) async throws {
        let result = try await Command.run(track + options)
        #expect(result.status == 64, "\(result.errors)")
    }

    @Test(arguments: [[], ["--format", "csv"], ["--format", "jsonl", "--output", "a.jsonl"]])
    func pixelsNeedLinesOfJSON(options: [String]) async throws {
        let result = try await Command.run(["track", "a.mp4", "--pixels"] + options)
        #expect(result.status == 64 && result.errors.contains("--format jsonl"), "\(result.errors)")
    }
}
