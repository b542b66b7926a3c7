import Foundation
import Sightline
import SightlineMedia
import SightlineTestSupport
import Testing

struct StreamExporterTests {
    private let results = [
        StreamResult(timestamp: .zero, index: 0, size: PixelSize(width: 640, height: 480), objects: []),
        StreamResult(
            timestamp: .milliseconds(40),
            index: 1,
            size: PixelSize(width: 640, height: 480),
            objects: [
                DetectedObject(
                    frame: PixelRect(x: 1, y: 2.25, width: 30.12345, height: 40),
                    confidence: 0.875,
                    labels: [
                        Label(text: "cat, \"Mia\"", index: 16, confidence: 0.75),
                        Label(text: "dog", index: 17, confidence: 0.125),
                    ],
                    track: Track(
                        state: .confirmed(id: 1),
                        firstSeen: .zero,
                        lastSeen: .milliseconds(40),
                        isDetected: true
                    )
                ),
                DetectedObject(
                    frame: PixelRect(x: 100, y: 200, width: 10, height: 20),
                    confidence: 0.5,
                    track: Track(state: .confirmed(id: 7), firstSeen: .milliseconds(40), lastSeen: .milliseconds(40))
                ),
            ],
            isDetected: true,
            droppedFrames: 3,
            timings: {
                var timings = StageTimings()
                timings.inference = .milliseconds(2)
                timings.tracking = .microseconds(500)
                return timings
            }()
        ),
    ]

    private func text(_ format: ExportFormat, _ results: [StreamResult]) throws -> String {
        final class Sink { var text = "" }
        let sink = Sink()
        var exporter = try StreamExporter(format) { sink.text += $0 }
        for result in results { try exporter.append(result) }
        try exporter.finish()
        return sink.text
    }

    @Test func writesAFrameAsALineOfJSON() throws {
        #expect(
            try text(.jsonLines, results) == """
                {"index":0,"time":0.0,"width":640,"height":480,"detected":true,"dropped":0,"objects":[],"milliseconds":\
                {"decoding":0.0,"preprocessing":0.0,"inference":0.0,"postprocessing":0.0,"tracking":0.0,"total":0.0}}
                {"index":1,"time":0.04,"width":640,"height":480,"detected":true,"dropped":3,"objects":[{"id":1,"frame":\
                {"x":1.0,"y":2.25,"width":30.123,"height":40.0},"confidence":0.875,"labels":[{"text":"cat, \\"Mia\\"",\
                "index":16,"confidence":0.75},{"text":"dog","index":17,"confidence":0.125}],"detected":true,"firstSeen":0.0,\
                "age":0.04},{"id":7,"frame":{"x":100.0,"y":200.0,"width":10.0,"height":20.0},"confidence":0.5,"labels":[],\
                "detected":false,"firstSeen":0.04,"age":0.0}],"milliseconds":{"decoding":0.0,"preprocessing":0.0,\
                "inference":2.0,"postprocessing":0.0,"tracking":0.5,"total":2.5}}

                """
        )
    }

    @Test func writesObjectsAsRowsOfCSV() throws {
        #expect(
            try text(.csv, results) == """
                frame,time,id,x,y,width,height,confidence,label,label_index,label_confidence,detected,age
                1,0.04,1,1.0,2.25,30.123,40.0,0.875,"cat, ""Mia""\",16,0.75,1,0.04
                1,0.04,7,100.0,200.0,10.0,20.0,0.5,,,,0,0.0

                """
        )
    }

    @Test func writesObjectsAsLinesOfMOTChallengeWithFramesFromOne() throws {
        #expect(
            try text(.mot, results) == """
                2,1,1.0,2.25,30.123,40.0,0.875,-1,-1,-1
                2,7,100.0,200.0,10.0,20.0,0.5,-1,-1,-1

                """
        )
    }

    @Test func writesOneDocumentOfCOCO() throws {
        #expect(
            try text(.coco, results) == """
                {"annotations":[
                {"id":1,"image_id":2,"category_id":17,"bbox":[1.0,2.25,30.123,40.0],"area":1204.938,"iscrowd":0,"score":0.875,\
                "track_id":1},
                {"id":2,"image_id":2,"category_id":0,"bbox":[100.0,200.0,10.0,20.0],"area":200.0,"iscrowd":0,"score":0.5,\
                "track_id":7}
                ],"images":[
                {"id":1,"file_name":"000001.jpg","width":640,"height":480,"time":0.0},
                {"id":2,"file_name":"000002.jpg","width":640,"height":480,"time":0.04}
                ],"categories":[{"id":0,"name":"object"},{"id":17,"name":"cat, \\"Mia\\""}]}

                """
        )
    }

    @Test(arguments: [0, 1, 5000]) func aDocumentOfCOCOIsJSONWithAllImagesHoweverLong(count: Int) throws {
        let frames = (0..<count).map { index in
            StreamResult(
                timestamp: .milliseconds(index),
                index: index,
                size: PixelSize(width: 8, height: 8),
                objects: results[1].objects
            )
        }
        let document = try #require(
            try JSONSerialization.jsonObject(with: Data(text(.coco, frames).utf8)) as? [String: [[String: Any]]]
        )
        #expect(document["images"]?.count == count)
        #expect(document["annotations"]?.count == 2 * count)
    }

    @Test(arguments: [(ExportFormat.jsonLines, ""), (.mot, "")]) func aStreamWithoutFramesIsAnEmptyText(
        format: ExportFormat,
        expected: String
    ) throws {
        #expect(try text(format, []) == expected)
    }

    @Test func writesToAFileAtOnceAndReplacesWhatWasThere() throws {
        try withTemporaryFolder { folder in
            let url = folder.appending(path: "objects.txt")
            try Data("what was there before, which is longer than what comes".utf8).write(to: url)
            var exporter = try StreamExporter(.mot, to: url)
            try exporter.append(results[1])
            let text = try String(contentsOf: url, encoding: .utf8)
            #expect(text.split(separator: "\n").count == 2 && text.hasPrefix("2,1,"))
            try exporter.finish()
        }
    }

    @Test func aFileThatCannotBeWrittenIsATypedError() {
        #expect(throws: MediaError.self) { try StreamExporter(.csv, to: URL(filePath: "/missing/folder/x.csv")) }
    }
}

struct MOTDetectionsTests {
    private func read(_ text: String) throws(MOTDetectionsError) -> MOTDetections {
        try MOTDetections(Data(text.utf8), name: "det.txt")
    }

    @Test func readsDetectionsInTheOrderOfTheirFrames() throws {
        let detections = try read("7,-1,1.5,-2,30,40.25,0.9,-1,-1,-1\r\n\n 2 , -1, 1e1, 0.1, 3, 4, 1\n7,-1,5,6,7,8,.5")
        #expect(detections.frames.map(\.number) == [2, 7])
        #expect(
            detections.frames[1].detections == [
                DetectedObject(frame: PixelRect(x: 1.5, y: -2, width: 30, height: 40.25), confidence: 0.9),
                DetectedObject(frame: PixelRect(x: 5, y: 6, width: 7, height: 8), confidence: 0.5),
            ]
        )
        #expect(detections.frames[0].detections.first?.frame == PixelRect(x: 10, y: 0.1, width: 3, height: 4))
    }

    @Test func anEmptyFileHasNoFrames() throws {
        #expect(try read("\n \n").frames.isEmpty)
    }

    @Test func numbersAreReadToTheLastDigit() throws {
        var generator = SplitMix64(seed: 3)
        for _ in 0..<2000 {
            let digits = Int.random(in: -6...9, using: &generator)
            let number = (Double.random(in: -1e4...1e4, using: &generator) * 1e6).rounded() / 1e6
            let text = digits < 0 ? "\(number)" : "\(number)" + String(repeating: "0", count: digits)
            #expect(try read("1,-1,\(text),0,1,1,1").frames.first?.detections.first?.frame.x == number)
        }
    }

    @Test(arguments: [
        ("1,-1,0,0,1,1", "det.txt, line 1: it has 6 fields, expected 7"),
        ("1,-1,0,0,1,1,1\n1,-1,0,x,1,1,1", "det.txt, line 2: the top is “x”, which is no number"),
        ("1,-1,0,,1,1,1", "det.txt, line 1: the top is “”, which is no number"),
        ("1,-1,0,nan,1,1,1", "det.txt, line 1: the top is “nan”, which is no number"),
        ("0,-1,0,0,1,1,1", "det.txt, line 1: the frame is 0.0, expected a whole number from 1 to 1000000000"),
        ("1.5,-1,0,0,1,1,1", "det.txt, line 1: the frame is 1.5, expected a whole number from 1 to 1000000000"),
        ("1e30,-1,0,0,1,1,1", "det.txt, line 1: the frame is 1e+30, expected a whole number from 1 to 1000000000"),
        ("-,-1,0,0,1,1,1", "det.txt, line 1: the frame is “-”, which is no number"),
    ]) func aBadLineIsNamed(text: String, message: String) {
        let error = #expect(throws: MOTDetectionsError.self) { try read(text) }
        #expect(error?.description.hasPrefix(message + "; ") == true, "\(String(describing: error))")
    }

    @Test func aMissingFileIsATypedError() {
        let error = #expect(throws: MOTDetectionsError.self) {
            try MOTDetections(contentsOf: URL(filePath: "/missing/det.txt"))
        }
        #expect(error?.description.hasPrefix("/missing/det.txt: the detections cannot be read") == true)
    }
}
