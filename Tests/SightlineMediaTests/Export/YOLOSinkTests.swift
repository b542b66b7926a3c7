import Foundation
import Sightline
import SightlineMedia
import SightlineTestSupport
import Testing

/// Results as YOLO labels.
@Suite(.hangLimit)
struct YOLOSinkTests {
    private func object(_ frame: PixelRect, _ label: (text: String, index: Int)?) -> DetectedObject {
        DetectedObject(
            frame: frame,
            confidence: 0.75,
            labels: label.map { [Label(text: $0.text, index: $0.index, confidence: 0.75)] } ?? []
        )
    }

    private func picture(_ path: String, _ objects: [DetectedObject]) -> PictureResult {
        let size = PixelSize(width: 200, height: 100)
        return PictureResult(name: path, outcome: .objects(DetectionResult(objects: objects, size: size)))
    }

    private func write(
        _ results: [PictureResult],
        as format: ResultFormat = .yolo,
        classNames: [String] = [],
        in folder: URL
    ) throws {
        var options = ResultSinkOptions(kind: .objects)
        options.classNames = { classNames }
        var sink = try format.sink(options, to: folder)
        try sink.begin()
        for result in results { try sink.append(result) }
        try sink.finish()
    }

    private func text(_ name: String, in folder: URL) throws -> String {
        try String(contentsOf: folder.appending(path: name), encoding: .utf8)
    }

    private let box = PixelRect(x: 20, y: 10, width: 100, height: 50)

    @Test func writesALineForEachObjectInFractionsOfThePicture() throws {
        try withTemporaryFolder { folder in
            let objects = [
                object(box, ("dog", 1)), object(PixelRect(x: 150, y: -20, width: 100, height: 60), ("cat", 0)),
            ]
            try write([picture("a/b.jpg", objects), picture("c.png", [])], classNames: ["cat", "dog"], in: folder)
            #expect(
                try text("labels/a/b.txt", in: folder) == """
                    1 0.350000 0.350000 0.500000 0.500000
                    0 0.875000 0.200000 0.250000 0.400000

                    """
            )
            #expect(try text("labels/c.txt", in: folder) == "")
        }
    }

    @Test func namesTheClassesAsUltralyticsExpects() throws {
        try withTemporaryFolder { folder in
            try write([picture("a.jpg", [object(box, ("dog", 1))])], classNames: ["cat", "dog: \"big\""], in: folder)
            #expect(try text("classes.txt", in: folder) == "cat\ndog: \"big\"\n")
            #expect(
                try text("data.yaml", in: folder) == """
                    train: images
                    val: images
                    names:
                      0: "cat"
                      1: "dog: \\"big\\""

                    """
            )
        }
    }

    @Test func objectsWithoutLabelsHaveAClassBehindTheOthers() throws {
        try withTemporaryFolder { folder in
            let objects = [object(box, nil), object(box, ("plant", 1))]
            try write([picture("a.jpg", objects)], classNames: ["food", "plant"], in: folder)
            #expect(try text("labels/a.txt", in: folder).split(separator: "\n").map(\.first) == ["2", "1"])
            #expect(try text("classes.txt", in: folder) == "food\nplant\nobject\n")
        }
    }

    @Test func classesWithoutKnownNamesLeaveNoGaps() throws {
        try withTemporaryFolder { folder in
            let objects = [object(box, ("bird", 2)), object(box, nil), object(box, ("fish", 4))]
            try write([picture("a.jpg", objects)], in: folder)
            #expect(try text("labels/a.txt", in: folder).split(separator: "\n").map(\.first) == ["2", "3", "5"])
            #expect(try text("classes.txt", in: folder) == "class 0\nclass 1\nbird\nobject\nclass 4\nfish\n")
        }
    }

    @Test func leavesOutObjectsOutsideThePicture() throws {
        try withTemporaryFolder { folder in
            let outside = PixelRect(x: 300, y: 0, width: 10, height: 10)
            try write([picture("a.jpg", [object(outside, ("cat", 0))])], in: folder)
            #expect(try text("labels/a.txt", in: folder) == "")
        }
    }

    @Test func writesTheConfidenceOnRequest() throws {
        try withTemporaryFolder { folder in
            try write([picture("a.jpg", [object(box, ("cat", 0))])], as: .yoloWithConfidence, in: folder)
            #expect(try text("labels/a.txt", in: folder) == "0 0.350000 0.350000 0.500000 0.500000 0.750000\n")
        }
    }

    @Test func twoPicturesThatDifferOnlyInTheirExtensionsAreAnError() throws {
        try withTemporaryFolder { folder in
            let pictures = [picture("a.jpg", []), picture("a.png", [])]
            _ = #expect(throws: MediaError.self) { try write(pictures, in: folder) }
        }
    }

    @Test func framesHaveNumberedFiles() throws {
        try withTemporaryFolder { folder in
            var sink = try ResultFormat.yolo.sink(for: .frames, to: folder)
            try sink.begin()
            try sink.append(
                StreamResult(
                    timestamp: .zero,
                    index: 0,
                    size: PixelSize(width: 200, height: 100),
                    objects: [object(box, ("cat", 0))]
                )
            )
            try sink.finish()
            #expect(try text("labels/000001.txt", in: folder).hasPrefix("0 0.35"))
        }
    }
}
