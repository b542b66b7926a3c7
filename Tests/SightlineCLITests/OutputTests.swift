import TextFormatting
import Foundation
import Sightline
import SightlineMedia
import Testing

@testable import SightlineCLI

/// How results are written.
struct OutputTests {
    private let cat = DetectedObject(
        frame: PixelRect(x: 1, y: 2.25, width: 30.12345, height: 40),
        confidence: 0.875,
        labels: [Label(text: "cat", index: 16, confidence: 0.875)]
    )

    private func record(_ image: String, _ findings: PictureRecord.Findings) -> PictureRecord {
        var timings = StageTimings()
        timings.decoding = .microseconds(1500)
        timings.inference = .milliseconds(2)
        return PictureRecord(
            image: image,
            outcome: .found(findings, size: PixelSize(width: 640, height: 480), timings: timings)
        )
    }

    @Test func writesObjectsAsOneLineOfJSONWithItsKeysInOrder() {
        #expect(
            JSONText(record("a.jpg", .objects([cat]))).text == """
                {"image":"a.jpg","width":640,"height":480,"objects":[{"frame":{"x":1.0,"y":2.25,"width":30.123,"height":40.0},\
                "confidence":0.875,"labels":[{"text":"cat","index":16,"confidence":0.875}]}],"milliseconds":{"decoding":1.5,\
                "preprocessing":0.0,"inference":2.0,"postprocessing":0.0,"total":3.5}}
                """
        )
    }

    @Test func writesAFailureAsJSON() {
        let record = PictureRecord(image: "x", outcome: .failed("It is \"bad\"."))
        #expect(JSONText(record).text == #"{"image":"x","error":"It is \"bad\"."}"#)
    }

    @Test(arguments: ["\"\\/\u{0}\u{1}\u{1F}\n\r\t", "Katze 🐈 猫", "\u{2028}", "", "\r\n"])
    func escapesStringsSoThatAJSONReaderGetsThemBack(text: String) throws {
        var json = JSONText()
        json.array([text]) { $0.string($1) }
        #expect(try JSONDecoder().decode([String].self, from: Data(json.text.utf8)) == [text])
        #expect(!json.text.contains { $0.isNewline && $0 != "\u{2028}" })
    }

    @Test func writesNumbersThatJSONDoesNotHaveAsNull() {
        var json = JSONText()
        json.array([Float.nan, .infinity]) { $0.number($1) }
        #expect(json.text == "[null,null]")
    }

    @Test func quotesCSVFieldsThatNeedItAndDoublesTheirQuotes() {
        #expect(
            CSVText.row(["a", "b c", "", "d,e", "f\"g", "h\ni", "j\r\nk"])
                == "a,b c,,\"d,e\",\"f\"\"g\",\"h\ni\",\"j\r\nk\"\n"
        )
    }

    @Test func writesOneCSVRowPerLabelAndOneForAnObjectWithoutLabels() {
        var nameless = cat
        nameless.labels = []
        var twice = cat
        twice.labels.append(Label(text: "tench, Tinca", index: 0, confidence: 0.5))
        #expect(
            CSVText.rows(.objects([nameless, twice]), image: "a.jpg") == """
                a.jpg,1,1.0,2.25,30.123,40.0,0.875,,,
                a.jpg,2,1.0,2.25,30.123,40.0,0.875,cat,16,0.875
                a.jpg,2,1.0,2.25,30.123,40.0,0.875,"tench, Tinca",0,0.5

                """
        )
    }

    @Test func alignsTableColumnsAlsoWithWideCharacters() {
        let table = TextTable(
            columns: [.text("LABEL"), .number("N")],
            rows: [["猫", "1"], ["🐈 cat", "22"], ["e\u{301}te\u{301}", "333"]]
        )
        #expect(
            table.text
                == """
                LABEL     N
                猫        1
                🐈 cat   22
                été     333

                """.replacing("été", with: "e\u{301}te\u{301}")
        )
    }

    @Test func shortensTableCellsAndRemovesControlCharacters() {
        let table = TextTable(columns: [.text("A")], rows: [[String(repeating: "猫", count: 100)], ["x\u{1B}[31my\n"]])
        let lines = table.text.split(separator: "\n")
        #expect(lines.map { TerminalText.width(String($0)) } == [1, 47, 7])
        #expect(lines[1].hasSuffix("…"))
        #expect(!table.text.contains("\u{1B}"))
    }

    @Test func headsEachPictureOfSeveralByItsName() {
        var printer = RecordPrinter(format: .table, showsNames: true)
        let text = printer.text(record("a.jpg", .objects([cat]))) + printer.text(record("b.jpg", .objects([])))
        #expect(
            text == """
                a.jpg (640 × 480)
                OBJECT  CONFIDENCE  X  Y  WIDTH  HEIGHT
                cat         87.5 %  1  2     30      40

                b.jpg (640 × 480)
                no objects found

                """
        )
    }

    @Test func listsAClassifiersLabelsBelowTheirObject() {
        var object = cat
        object.labels = [Label(text: "", index: 7, confidence: 0.5)]
        var printer = RecordPrinter(format: .table, showsNames: false)
        #expect(
            printer.text(record("a.jpg", .objects([object]))) == """
                OBJECT     CONFIDENCE  X  Y  WIDTH  HEIGHT
                object         87.5 %  1  2     30      40
                  class 7      50.0 %

                """
        )
    }

    @Test(arguments: [0, 1, 3]) func writesAnArrayThatAJSONReaderTakes(count: Int) throws {
        var printer = RecordPrinter(format: .json, showsNames: true)
        let text =
            printer.start(.labels) + (0..<count).map { printer.text(record("\($0)", .labels([]))) }.joined()
            + printer.end()
        let array = try #require(try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [[String: Any]])
        #expect(array.map { $0["image"] as? String } == (0..<count).map { "\($0)" })
    }
}
