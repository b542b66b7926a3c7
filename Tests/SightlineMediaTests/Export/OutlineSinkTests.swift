import Foundation
import Sightline
import SightlineMedia
import SightlineTestSupport
import Testing

/// Outlines in the formats of other programs.
@Suite(.hangLimit) struct OutlineSinkTests {
    private let size = PixelSize(width: 200, height: 100)

    /// Two squares, of which the first has a hole, and an object without a mask.
    private var objects: [DetectedObject] {
        get throws {
            let mask = try #require(
                ObjectMask(x: 10, y: 10, width: 60, height: 20) { x, y in
                    (10..<30).contains(x) && !((16..<24).contains(x) && (16..<24).contains(y)) || (50..<70).contains(x)
                }
            )
            let label = [Label(text: "dog", index: 1, confidence: 0.75)]
            return [
                DetectedObject(frame: mask.bounds, confidence: 0.75, labels: label, mask: mask),
                DetectedObject(frame: PixelRect(x: 100, y: 50, width: 150, height: 20), confidence: 0.5, labels: label),
            ]
        }
    }

    private func result() throws -> PictureResult {
        PictureResult(name: "a.jpg", outcome: .objects(DetectionResult(objects: try objects, size: size)))
    }

    private func document(_ format: ResultFormat) throws -> Any {
        let text = CollectedText()
        var options = ResultSinkOptions(kind: .objects)
        options.classNames = { ["cat", "dog"] }
        var sink = try format.sink(options) { text.append($0) }
        try sink.begin()
        try sink.append(try result())
        try sink.finish()
        return try JSONSerialization.jsonObject(with: Data(text.value.utf8))
    }

    /// The mask that polygons in pixels fill, as pycocotools does.
    private func filled(_ polygons: [[Double]]) throws -> COCOMask {
        try #require(COCOMask.union(polygons.compactMap { COCOMask(polygon: $0, size: size) }))
    }

    private func check(_ polygons: [[Double]], isExact: Bool = false) throws {
        let expected = COCOMask(try #require(try objects[0].mask), in: size)
        let found = try filled(polygons)
        let shared = try #require(found.intersection(expected))
        #expect(found.area + expected.area - 2 * shared <= (isExact ? 0 : 8))
    }

    @Test func cocoHasAPolygonForEachPart() throws {
        let document = try #require(try document(.cocoPolygons) as? [String: Any])
        let annotations = try #require(document["annotations"] as? [[String: Any]])
        let polygons = try #require(annotations[0]["segmentation"] as? [[Double]])
        #expect(polygons.count == 2)
        try check(polygons)
        let area = try #require(annotations[0]["area"] as? Double)
        #expect(area == 736)
        #expect(annotations[1]["segmentation"] as? [[Double]] == [[100, 50, 200, 50, 200, 70, 100, 70]])
    }

    @Test func labelStudioHasARegionForEachPart() throws {
        let tasks = try #require(try document(.labelStudioPolygons) as? [[String: Any]])
        let predictions = try #require(tasks[0]["predictions"] as? [[String: Any]])
        let regions = try #require(predictions[0]["result"] as? [[String: Any]])
        #expect(regions.map { $0["id"] as? String } == ["1", "2", "3"])
        #expect(
            regions.allSatisfy { $0["type"] as? String == "polygonlabels" && $0["from_name"] as? String == "label" }
        )
        let values = try regions.map { try #require($0["value"] as? [String: Any]) }
        #expect(values.allSatisfy { $0["closed"] as? Bool == true && $0["polygonlabels"] as? [String] == ["dog"] })
        let points = try values.map { try #require($0["points"] as? [[Double]]) }
        try check(points[..<2].map { $0.flatMap { [$0[0] * 2, $0[1]] } })
        #expect(points[2] == [[50, 50], [100, 50], [100, 70], [50, 70]])
    }

    @Test func yoloHasALineWithAllParts() throws {
        try withTemporaryFolder { folder in
            var sink = try ResultFormat.yoloOutlines.sink(for: .objects, to: folder)
            try sink.begin()
            try sink.append(try result())
            try sink.finish()
            let text = try String(contentsOf: folder.appending(path: "labels/a.txt"), encoding: .utf8)
            let lines = text.split(separator: "\n").map { $0.split(separator: " ").compactMap { Double($0) } }
            #expect(lines.map(\.first) == [1, 1])
            let corners = lines[0].dropFirst().enumerated().map { $1 * ($0.isMultiple(of: 2) ? 200 : 100) }
            try check([corners])
            #expect(lines[1].dropFirst() == [0.5, 0.5, 1, 0.5, 1, 0.7, 0.5, 0.7])
            #expect(text.allSatisfy { $0 != "-" })
        }
    }
}
