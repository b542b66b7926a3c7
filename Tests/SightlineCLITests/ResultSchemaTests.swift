import Foundation
import Sightline
import SightlineMedia
import SightlineTestSupport
import Testing

/// The printed results, the Codable forms and the published schema are one shape.
@Suite(.hangLimit) struct ResultSchemaTests {
    private let schema: ResultSchema

    init() throws { schema = try ResultSchema() }

    /// The lines that the command prints in a folder with the pictures frames/000001.png … 000004.png.
    private func lines(_ arguments: [String]) async throws -> [Data] {
        try await withTemporaryFolder { folder in
            for index in 1...4 { try Pictures.write(["frames/00000\(index).png": Pictures.png(red: 255)], in: folder) }
            let result = try await Command.run(arguments, in: folder)
            #expect(result.status == 0, "\(result.errors)")
            return result.lines.map { Data($0.utf8) }
        }
    }

    @Test(arguments: [
        ["detect", "--model", Command.detector, "frames/000001.png"],
        ["detect", "--model", Command.detector, "--max-objects", "1", "frames/000001.png"],
        ["detect", "frames/000001.png"],
        ["label", "--model", Command.classifier, "frames/000001.png"],
        ["label", "--model", Command.classifier, "--threshold", "1", "frames/000001.png"],
    ]) func pictures(arguments: [String]) async throws {
        let lines = try await lines(arguments + ["--format", "jsonl"])
        #expect(lines.count == 1)
        for line in lines { #expect(try schema.problems(line) == []) }
    }

    @Test func framesOfAStreamAndTheirCodableForm() async throws {
        let lines = try await lines([
            "track", "--model", Command.detector, "frames", "--format", "jsonl", "--every", "2",
        ])
        #expect(lines.count == 4)
        for line in lines {
            #expect(try schema.problems(line, as: "frame") == [])
            let result = try JSONDecoder().decode(StreamResult.self, from: line)
            let encoded = try JSONEncoder().encode(result)
            #expect(try schema.problems(encoded, as: "frame") == [])
            #expect(try JSONDecoder().decode(StreamResult.self, from: encoded) == result)
        }
        let last = try JSONDecoder().decode(StreamResult.self, from: #require(lines.last))
        #expect(last.objects.compactMap(\.id) == [1, 2])
        #expect(last.objects.allSatisfy { $0.track?.isDetected == false && $0.track?.isConfirmed == true })
    }

    @Test(arguments: [
        Track(state: .tentative, firstSeen: .zero, lastSeen: .zero, isDetected: true),
        Track(state: .confirmed(id: 7), firstSeen: .seconds(1), lastSeen: .seconds(2.5), isDetected: true),
        Track(state: .confirmed(id: 7), firstSeen: .seconds(1), lastSeen: .seconds(2), age: .seconds(4)),
        Track(state: .lost(id: 9), firstSeen: .seconds(1), lastSeen: .seconds(2), age: .seconds(4)),
        nil,
    ]) func objectsComeBackFromTheirCodableForm(track: Track?) throws {
        let object = DetectedObject(
            frame: PixelRect(x: 1, y: 2, width: 3, height: 4),
            confidence: 0.5,
            classIndex: 3,
            labels: [Label(text: "cat", index: 3, confidence: 0.5)],
            track: track
        )
        let encoded = try JSONEncoder().encode(object)
        #expect(try schema.problems(encoded, as: "object") == [])
        #expect(try JSONDecoder().decode(DetectedObject.self, from: encoded) == object)
    }

    @Test func aTimeThatNoStreamHasIsADecodingError() {
        let text = """
            {"frame": {"x": 0, "y": 0, "width": 1, "height": 1}, "confidence": 1, "labels": [], "detected": true,
             "firstSeen": 1e300, "age": 0}
            """
        #expect(throws: DecodingError.self) { try JSONDecoder().decode(DetectedObject.self, from: Data(text.utf8)) }
    }
}
