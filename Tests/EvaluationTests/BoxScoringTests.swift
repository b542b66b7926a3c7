import Foundation
import Sightline
import SightlineEvaluation
import SightlineTestSupport
import Testing

/// The numbers of a box report.
@Suite(.hangLimit)
struct BoxScoringTests {
    private struct Expected: Decodable {
        var summary: [Double]
        var classAgnostic: [Double]
        var categories: [Double]
    }

    @Test(arguments: 0..<6)
    func theNumbersAreThoseOfPycocotools(index: Int) throws {
        let data = try Data(contentsOf: TestData.fixture("boxes/cases.json"))
        let cases = try #require(try JSONSerialization.jsonObject(with: data) as? [[String: Any]])
        let text = try cases[index].mapValues { try JSONSerialization.data(withJSONObject: $0) }
        let expected = try JSONDecoder().decode(Expected.self, from: try #require(text["expected"]))
        let report = try BoxFiles.report(
            annotations: try #require(text["annotations"]),
            detections: try #require(text["detections"])
        )
        for (found, expected) in zip(try #require(report.summary).numbers, expected.summary) {
            #expect(abs(found - expected) < 1e-9)
        }
        for (found, expected) in zip(report.classAgnostic.numbers, expected.classAgnostic) {
            #expect(abs(found - expected) < 1e-9)
        }
        let ids = [1, 2, 3, 5, 9]
        for (id, expected) in zip(ids, expected.categories) {
            let found = report.categories.first { $0.id == id }?.ap ?? -1
            #expect(abs(found - expected) < 1e-9, "category \(id)")
        }
    }

    private let whole: [Double] = [10, 10, 50, 50]

    @Test func perfectDetectionsHaveFullScores() throws {
        var files = BoxFiles()
        files.objects = [(0, 0, whole, false), (0, 1, [60, 60, 30, 30], false), (1, 0, whole, false)]
        files.boxes = files.objects.enumerated().map { ($1.picture, $1.category, $1.box, 0.9 - Double($0) / 10) }
        let report = try files.report()
        #expect(report.summary?.ap.map { abs($0 - 1) < 1e-12 } == true)
        #expect(report.summary?.ar100 == 1)
        #expect(report.overall.best?.f1 == 1)
        #expect(report.bestThreshold == 0.7)
        #expect(report.pictures.isEmpty)
        #expect(report.prominent.recall5Over5Percent == 1)
    }

    @Test func withoutDetectionsAllIsMissed() throws {
        var files = BoxFiles()
        files.objects = [(0, 0, whole, false), (1, 1, whole, false)]
        let report = try files.report()
        #expect(report.summary?.ap == 0)
        #expect(report.summary?.apLarge == nil)
        #expect(report.bestThreshold == nil)
        #expect(report.pictures.map(\.path) == ["1.png", "2.png"])
        #expect(report.pictures.flatMap(\.boxes).allSatisfy { $0.outcome == .missed })
    }

    @Test func withoutObjectsThereAreNoNumbers() throws {
        var files = BoxFiles()
        files.boxes = [(0, 0, whole, 0.5)]
        let report = try files.report()
        #expect(report.summary?.numbers == Array(repeating: -1, count: 12))
        #expect(report.overall.point(at: 0).precision == 0)
    }

    @Test func aSecondDetectionOfAnObjectIsWrong() throws {
        var files = BoxFiles()
        files.objects = [(0, 0, whole, false)]
        files.boxes = [(0, 0, whole, 0.9), (0, 0, whole, 0.8), (0, 1, whole, 0.7)]
        let report = try files.report()
        #expect(report.overall.point(at: 0).answers == 3)
        #expect(report.overall.point(at: 0).right == 1)
        #expect(report.bestThreshold == 0.9)
    }

    @Test func detectionsInACrowdCountNeitherWay() throws {
        var files = BoxFiles()
        files.objects = [(0, 0, [0, 0, 90, 90], true), (1, 0, whole, false)]
        files.boxes = [(0, 0, whole, 0.99), (0, 0, [12, 12, 30, 30], 0.98), (1, 0, whole, 0.5)]
        let report = try files.report()
        #expect(report.crowdCount == 1)
        #expect(report.overall.point(at: 0).answers == 1)
        #expect(report.summary?.ap.map { abs($0 - 1) < 1e-12 } == true)
    }

    @Test func whatAPictureShowsIsSortedIntoRightWrongAndMissed() throws {
        var files = BoxFiles()
        files.objects = [(0, 0, whole, false), (0, 1, [60, 60, 30, 30], false)]
        files.boxes = [(0, 0, whole, 0.9), (0, 2, [60, 60, 30, 30], 0.9), (0, 0, [0, 80, 9, 9], 0.1)]
        let boxes = try #require(try files.report().pictures.first).boxes
        #expect(boxes.map(\.outcome) == [.wrong, .missed, .right])
        #expect(boxes.map(\.label) == ["blue", "green", "red"])
    }

    @Test func scoresNeverGrowWhenAWrongDetectionIsAdded() throws {
        var random = RepeatableRandom(seed: 3)
        for _ in 0..<20 {
            var files = BoxFiles()
            func box() -> [Double] { (0..<4).map { _ in Double.random(in: 5...60, using: &random) } }
            files.objects = (0..<6).map { _ in (Int.random(in: 0...1, using: &random), 0, box(), false) }
            files.boxes = files.objects.map { ($0.picture, 0, $0.box, Double.random(in: 0...1, using: &random)) }
            let before = try files.report()
            files.boxes.append((0, 0, [90, 90, 3, 3], 0.5))
            let after = try files.report()
            #expect((after.summary?.ap ?? 0) <= (before.summary?.ap ?? 0) + 1e-12)
            #expect((after.summary?.ar100 ?? 0) == (before.summary?.ar100 ?? 1))
        }
    }

    /// One label is found in each picture, and ten labels, each in one picture, are not.
    @Test func theIntervalOfAPCountsLabelsOfFewPictures() throws {
        let frame = PixelRect(x: 10, y: 10, width: 50, height: 50)
        let objects =
            (0..<20).map { BoxAnnotations.Object(picture: $0, category: 0, frame: frame, area: 2500, isCrowd: false) }
            + (1...10).map {
                BoxAnnotations.Object(picture: $0, category: $0, frame: frame, area: 2500, isCrowd: false)
            }
        let known = BoxAnnotations(
            name: "known",
            pictures: (0..<20).map {
                BoxAnnotations.Picture(id: $0, path: "\($0).png", size: PixelSize(width: 100, height: 100))
            },
            categories: (0...10).map { BoxAnnotations.Category(id: $0 + 1, name: "\($0)") },
            objects: objects
        )
        let found = BoxDetections(
            name: "found",
            boxes: (0..<20).map { BoxDetections.Box(picture: $0, category: 0, frame: frame, score: 0.9) }
        )
        var random = RepeatableRandom(seed: 4)
        let interval = try #require(
            BoxReport.ap50Interval(known, found, groups: Array(0..<20), using: &random)
        )
        let ap50 = try #require(BoxReport(known, found).summary?.ap50)
        #expect(abs(ap50 - 1.0 / 11) < 1e-9)
        #expect(interval.lowerBound <= ap50 + 1e-9 && interval.upperBound >= ap50 - 1e-9)
    }

    @Test func aReportComesBackFromJSON() throws {
        var files = BoxFiles()
        files.objects = [(0, 0, whole, false)]
        files.boxes = [(0, 0, whole, 0.9), (1, 1, whole, 0.3)]
        let report = try files.report()
        #expect(try JSONDecoder().decode(BoxReport.self, from: JSONEncoder().encode(report)) == report)
    }
}
