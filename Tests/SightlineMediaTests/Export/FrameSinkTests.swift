import Foundation
import Sightline
import SightlineMedia
import SightlineTestSupport
import Testing

/// Results of a stream in each format.
@Suite(.hangLimit)
struct FrameSinkTests {
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

    private func text(_ format: ResultFormat, _ results: [StreamResult]) throws -> String {
        let text = CollectedText()
        var sink = try format.sink(ResultSinkOptions(kind: .frames)) { text.append($0) }
        try sink.begin()
        var history = StreamHistory()
        for result in results {
            for object in history.update(result).lostObjects { try sink.append(object) }
            try sink.append(result)
        }
        for object in history.finish().lostObjects { try sink.append(object) }
        try sink.finish()
        return text.value
    }

    @Test func writesAFrameAsALineOfJSON() throws {
        #expect(
            try text(.jsonLines, results) == """
                {"index":0,"time":0.0,"width":640,"height":480,"detected":true,"dropped":0,"objects":[],"milliseconds":\
                {"decoding":0.0,"preprocessing":0.0,"inference":0.0,"postprocessing":0.0,"tracking":0.0,"total":0.0}}
                {"index":1,"time":0.04,"width":640,"height":480,"detected":true,"dropped":3,"objects":[{"id":1,"frame":\
                {"x":1.0,"y":2.25,"width":30.123,"height":40.0},"confidence":0.75,\
                "objectConfidence":0.875,"labels":[{"text":"cat, \\"Mia\\"",\
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
                1,0.04,1,1.0,2.25,30.123,40.0,0.75,"cat, ""Mia""\",16,0.75,1,0.04
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
                {"id":1,"image_id":2,"category_id":17,"bbox":[1.0,2.25,30.123,40.0],"area":1204.938,"iscrowd":0,"score":0.75,\
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

    @Test(arguments: [ResultFormat.jsonLines, .mot, .table]) func aStreamWithoutFramesIsAnEmptyText(
        format: ResultFormat
    ) throws {
        #expect(try text(format, []) == "")
    }

    @Test func writesOneArrayOfJSON() throws {
        let array = try #require(
            try JSONSerialization.jsonObject(with: Data(text(.json, results).utf8)) as? [[String: Any]]
        )
        #expect(array.map { $0["index"] as? Int } == [0, 1])
        #expect(try text(.json, []) == "[]\n")
    }

    @Test func aDamagedFrameIsMarked() throws {
        var result = results[0]
        result.isDamaged = true
        #expect(try text(.jsonLines, [result]).contains(#""detected":true,"damaged":true,"dropped":0,"#))
    }

    @Test func aTableHasARowForAnObjectThatIsGone() throws {
        let later = StreamResult(
            timestamp: .seconds(60),
            index: 2,
            size: PixelSize(width: 640, height: 480),
            objects: [],
            ended: [1]
        )
        let lines = try text(.table, results + [later]).split(separator: "\n")
        #expect(lines.count == 3)
        #expect(lines[0].hasPrefix("    ID  LABEL"))
        #expect(lines[1].hasPrefix("     1  cat, \"Mia\""))
        #expect(lines[2].hasPrefix("     7  object"))
    }

    @Test func writesToAFileAtOnceAndReplacesWhatWasThere() throws {
        try withTemporaryFolder { folder in
            let url = folder.appending(path: "objects.txt")
            try Data("what was there before, which is longer than what comes".utf8).write(to: url)
            var sink = try ResultFormat.mot.sink(for: .frames, to: url)
            try sink.begin()
            try sink.append(results[1])
            let text = try String(contentsOf: url, encoding: .utf8)
            #expect(text.split(separator: "\n").count == 2 && text.hasPrefix("2,1,"))
            try sink.finish()
        }
    }

    @Test func aFileThatCannotBeWrittenIsATypedError() {
        #expect(throws: MediaError.self) {
            try ResultFormat.csv.sink(for: .frames, to: URL(filePath: "/missing/folder/x.csv"))
        }
    }
}
