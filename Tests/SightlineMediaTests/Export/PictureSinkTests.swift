import Foundation
import Sightline
import SightlineMedia
import SightlineTestSupport
import Testing

/// Results of pictures in each format.
@Suite(.hangLimit)
struct PictureSinkTests {
    private let cat = DetectedObject(
        frame: PixelRect(x: 1, y: 2.25, width: 30.12345, height: 40),
        confidence: 0.875,
        labels: [Label(text: "cat", index: 16, confidence: 0.875)]
    )

    private let size = PixelSize(width: 640, height: 480)

    private var timings: StageTimings {
        var timings = StageTimings()
        timings.decoding = .microseconds(1500)
        timings.inference = .milliseconds(2)
        return timings
    }

    private func result(_ name: String, objects: [DetectedObject]) -> PictureResult {
        PictureResult(name: name, outcome: .objects(DetectionResult(objects: objects, size: size, timings: timings)))
    }

    private func result(_ name: String, labels: [Label]) -> PictureResult {
        PictureResult(name: name, outcome: .labels(LabelingResult(labels: labels, size: size, timings: timings)))
    }

    private func text(
        _ format: ResultFormat,
        _ results: [PictureResult],
        kind: ResultKind = .objects,
        showsNames: Bool = true
    ) throws -> String {
        let text = CollectedText()
        var options = ResultSinkOptions(kind: kind)
        options.showsNames = showsNames
        var sink = try format.sink(options) { text.append($0) }
        try sink.begin()
        for result in results { try sink.append(result) }
        try sink.finish()
        return text.value
    }

    @Test func writesObjectsAsOneLineOfJSONWithItsKeysInOrder() throws {
        #expect(
            try text(.jsonLines, [result("a.jpg", objects: [cat])]) == """
                {"image":"a.jpg","width":640,"height":480,"objects":[{"frame":{"x":1.0,"y":2.25,"width":30.123,"height":40.0},\
                "confidence":0.875,"labels":[{"text":"cat","index":16,"confidence":0.875}]}],"milliseconds":{"decoding":1.5,\
                "preprocessing":0.0,"inference":2.0,"postprocessing":0.0,"total":3.5}}

                """
        )
    }

    #if os(Linux)
        @Test func namesAFullDisk() throws {
            let file = URL(filePath: "/dev/full")  // every write to it fails as on a full disk
            var sink = try ResultFormat.jsonLines.sink(for: .objects, to: file)
            #expect(throws: MediaError.diskFull(path: "/dev/full")) {
                try sink.append(result("a.jpg", objects: [cat]))
            }
        }
    #endif

    @Test func writesAFailureAsJSON() throws {
        let failed = PictureResult(name: "x", outcome: .failure("It is \"bad\"."))
        #expect(try text(.jsonLines, [failed]) == #"{"image":"x","error":"It is \"bad\"."}"# + "\n")
    }

    @Test(arguments: [0, 1, 3]) func writesAnArrayThatAJSONReaderAccepts(count: Int) throws {
        let results = (0..<count).map { result("\($0)", labels: []) }
        let text = try text(.json, results, kind: .labels)
        let array = try #require(try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [[String: Any]])
        #expect(array.map { $0["image"] as? String } == (0..<count).map { "\($0)" })
    }

    @Test func writesOneCSVRowForAPictureWithoutObjectsAndOneForAFailedPicture() throws {
        let failed = PictureResult(name: "c.jpg", outcome: .failure("It is bad, really."))
        #expect(
            try text(.csv, [result("b.jpg", objects: []), failed]) == """
                image,object,x,y,width,height,confidence,label,label_index,label_confidence,error
                b.jpg,,,,,,,,,,
                c.jpg,,,,,,,,,,"It is bad, really."

                """
        )
        #expect(
            try text(.csv, [result("b.jpg", labels: []), failed], kind: .labels) == """
                image,label,label_index,label_confidence,error
                b.jpg,,,,
                c.jpg,,,,"It is bad, really."

                """
        )
    }

    @Test func writesOneCSVRowForEachLabelAndOneForAnObjectWithoutLabels() throws {
        var nameless = cat
        nameless.labels = []
        var twice = cat
        twice.labels.append(Label(text: "tench, Tinca", index: 0, confidence: 0.5))
        #expect(
            try text(.csv, [result("a.jpg", objects: [nameless, twice])]) == """
                image,object,x,y,width,height,confidence,label,label_index,label_confidence,error
                a.jpg,1,1.0,2.25,30.123,40.0,0.875,,,,
                a.jpg,2,1.0,2.25,30.123,40.0,0.875,cat,16,0.875,
                a.jpg,2,1.0,2.25,30.123,40.0,0.875,"tench, Tinca",0,0.5,

                """
        )
    }

    @Test func headsEachPictureOfSeveralByItsName() throws {
        #expect(
            try text(.table, [result("a.jpg", objects: [cat]), result("b.jpg", objects: [])]) == """
                a.jpg (640 × 480)
                OBJECT  CONFIDENCE  X  Y  WIDTH  HEIGHT
                cat         87.5 %  1  2     30      40

                b.jpg (640 × 480)
                no objects found

                """
        )
    }

    @Test func listsTheNameOfAnObjectWithTheConfidenceOfTheName() throws {
        var object = cat
        object.labels = [Label(text: "kitten", index: 7, confidence: 0.5)]
        #expect(
            try text(.table, [result("a.jpg", objects: [object])], showsNames: false) == """
                OBJECT  CONFIDENCE  X  Y  WIDTH  HEIGHT
                kitten      50.0 %  1  2     30      40

                """
        )
    }

    @Test func listsSeveralLabelsBelowTheirObject() throws {
        var object = cat
        object.labels = [
            Label(text: "", index: 7, confidence: 0.5), Label(text: "pet", index: 2, confidence: 0.25),
        ]
        #expect(
            try text(.table, [result("a.jpg", objects: [object])], showsNames: false) == """
                OBJECT     CONFIDENCE  X  Y  WIDTH  HEIGHT
                object         87.5 %  1  2     30      40
                  class 7      50.0 %
                  pet          25.0 %

                """
        )
    }

    @Test func writesCOCOWithTheNamesOfPictures() throws {
        let failed = PictureResult(name: "broken.jpg", outcome: .failure("It is bad."))
        let text = try text(.coco, [failed, result("a.jpg", objects: []), result("b.jpg", objects: [cat])])
        let document = try #require(
            try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: [[String: Any]]]
        )
        #expect(document["images"]?.map { $0["file_name"] as? String } == ["a.jpg", "b.jpg"])
        #expect(document["annotations"]?.map { $0["image_id"] as? Int } == [2])
        #expect(document["annotations"]?.map { $0["category_id"] as? Int } == [17])
        #expect(document["annotations"]?.first?["track_id"] == nil)
    }

    @Test func cocoRefusesTwoPicturesOfOnePath() throws {
        let pictures = ["north/1.jpg", "south/1.jpg"].map { name in
            PictureResult(name: name, path: "1.jpg", outcome: result("1.jpg", objects: [cat]).outcome)
        }
        let error = #expect(throws: MediaError.self) { try text(.coco, pictures) }
        #expect(error?.description.contains("south/1.jpg and another picture have the same name, 1.jpg") == true)
        #expect(try text(.coco, [pictures[0], pictures[0]]).contains("1.jpg"))
    }

    @Test func cocoListsAllLabelsOfTheModel() throws {
        let text = CollectedText()
        var options = ResultSinkOptions(kind: .objects)
        options.classNames = { ["person", "", "???", "car"] }
        var sink = try ResultFormat.coco.sink(options) { text.append($0) }
        try sink.begin()
        try sink.append(result("b.jpg", objects: [cat]))
        try sink.finish()
        let document = try JSONSerialization.jsonObject(with: Data(text.value.utf8)) as? [String: [[String: Any]]]
        #expect(document?["categories"]?.map { $0["name"] as? String } == ["person", "car", "cat"])
        #expect(document?["categories"]?.map { $0["id"] as? Int } == [1, 4, 17])
    }

    @Test func writesBoxesForLabelStudioInPercent() throws {
        let text = try text(.labelStudio, [result("https://example.org/a.jpg", objects: [cat])])
        let tasks = try #require(try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [[String: Any]])
        #expect((tasks.first?["data"] as? [String: String]) == ["image": "https://example.org/a.jpg"])
        let prediction = try #require((tasks.first?["predictions"] as? [[String: Any]])?.first)
        #expect(prediction["score"] as? Double == 0.875)
        let box = try #require((prediction["result"] as? [[String: Any]])?.first)
        #expect(box["type"] as? String == "rectanglelabels")
        #expect(box["from_name"] as? String == "label" && box["to_name"] as? String == "image")
        #expect(box["original_width"] as? Int == 640 && box["original_height"] as? Int == 480)
        let value = try #require(box["value"] as? [String: Any])
        #expect(value["rectanglelabels"] as? [String] == ["cat"])
        #expect(value["x"] as? Double == 0.156)
        #expect(value["y"] as? Double == 0.469)
        #expect(value["width"] as? Double == 4.707)
        #expect(value["height"] as? Double == 8.333)
    }

    @Test func writesLabelsForLabelStudioAsChoices() throws {
        let labels = [Label(text: "cat", index: 1, confidence: 0.5), Label(text: "pet", index: 2, confidence: 0.25)]
        let text = try text(.labelStudio, [result("a.jpg", labels: labels)], kind: .labels)
        let tasks = try #require(try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [[String: Any]])
        let prediction = try #require((tasks.first?["predictions"] as? [[String: Any]])?.first)
        let choices = try #require((prediction["result"] as? [[String: Any]])?.first)
        #expect(choices["type"] as? String == "choices")
        #expect((choices["value"] as? [String: [String]]) == ["choices": ["cat", "pet"]])
    }

    @Test func aFormatForStreamsRefusesPictures() {
        let error = #expect(throws: MediaError.self) { try text(.mot, []) }
        #expect(error?.description.contains("mot: it cannot hold objects in pictures; choose one of table, ") == true)
    }

    @Test func everyFormatHasANameOfItsOwn() {
        #expect(Set(ResultFormat.all.map(\.name)).count == ResultFormat.all.count)
        #expect(ResultFormat.all.allSatisfy { ResultFormat(name: $0.name) == $0 })
    }
}
