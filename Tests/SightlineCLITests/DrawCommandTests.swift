import Foundation
import Sightline
import SightlineTestSupport
import Testing

/// Results of an earlier run, drawn on their picture.
@Suite(.hangLimit) struct DrawCommandTests {
    private func input(_ line: String, _ picture: Data) -> Data { Data((line + "\n").utf8) + picture }

    @Test func thePictureIsThatOfTheRunItself() async throws {
        try await withTemporaryFolder { folder in
            let picture = try Pictures.stripes(width: 300, height: 200)
            try Pictures.write(["p.png": picture], in: folder)
            let detect = [
                "detect", "p.png", "--model", Command.detector, "--format", "jsonl", "--annotate", "found.png",
            ]
            let found = try await Command.run(detect, in: folder)
            let line = try #require(found.lines.first)
            let drawn = try await Command.run(["draw", "-o", "drawn.png"], input: input(line, picture), in: folder)
            #expect(drawn.status == 0 && drawn.output == "", "\(drawn.errors)")
            let pixels = try ["found.png", "drawn.png", "p.png"].map { name in
                let image = try VisionImage(data: Data(contentsOf: folder.appending(path: name)))
                return try image.upright().planes.map(\.data).reduce(Data(), +).map { Int($0) }
            }
            func difference(_ other: [Int]) -> Int { zip(pixels[0], other).count { abs($0 - $1) > 8 } }
            // JSON has thousandths of a pixel, so that an edge may lie in the next pixel.
            let (drawing, marks) = (difference(pixels[1]), difference(pixels[2]))
            #expect(pixels[1].count == 300 * 200 * 3 && marks > 1000 && drawing * 2 < marks, "\(drawing), \(marks)")
        }
    }

    @Test func withoutAFileThePictureIsPPM() async throws {
        let picture = try Pictures.stripes(width: 30, height: 20)
        let result = try await Command.run(["draw"], input: input(#"{"objects":[]}"#, picture))
        #expect(result.status == 0 && result.output.hasPrefix("P6\n30 20\n255\n"), "\(result.errors)")
    }

    @Test func labelsAndFramesAreDrawnToo() async throws {
        let picture = try Pictures.stripes(width: 300, height: 200)
        let track = #""id":7,"detected":true,"firstSeen":0,"age":1"#
        let object = #"{\#(track),"frame":{"x":9,"y":9,"width":50,"height":50},"confidence":0.5,"labels":[]}"#
        let lines = [
            #"{"objects":[]}"#, #"{"labels":[{"text":"cup","index":3,"confidence":0.5}]}"#,
            #"{"index":1,"time":0.1,"objects":[\#(object)]}"#,
        ]
        try await withTemporaryFolder { folder in
            var pictures: Set<Data> = []
            for line in lines {
                let result = try await Command.run(["draw", "-o", "a.png"], input: input(line, picture), in: folder)
                #expect(result.status == 0, "\(result.errors)")
                pictures.insert(try Data(contentsOf: folder.appending(path: "a.png")))
            }
            #expect(pictures.count == lines.count)
        }
    }

    @Test(arguments: [
        "", "no JSON", "[]", "{}", #"{"error":"damaged"}"#,
        #"{"objects":[{"frame":{"x":1e300,"y":0,"width":1,"height":1},"confidence":0.5,"labels":[]}]}"#,
        #"{"objects":[{"frame":{"x":0,"y":0,"width":1,"height":1},"confidence":1e30,"labels":[]}]}"#,
        #"{"labels":[{"text":"cup","index":3,"confidence":-1e30}]}"#,
    ])
    func otherLinesAreRefused(line: String) async throws {
        let result = try await Command.run(["draw"], input: input(line, Pictures.png(red: 255)))
        #expect(result.status == 2 && result.output == "")
        #expect(result.errors.contains("is not a result of detect, label or track"), "\(result.errors)")
    }

    @Test func whatIsNoPictureIsRefused() async throws {
        for input in [input(#"{"objects":[]}"#, Data()), input(#"{"objects":[]}"#, Data("none".utf8)), Data()] {
            #expect(try await Command.run(["draw"], input: input).status == 2)
        }
    }
}
