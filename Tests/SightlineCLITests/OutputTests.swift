import CommandLineSupport
import Foundation
import SightlineTestSupport
import Testing
import TextFormatting

/// Text for terminals and for programs.
@Suite(.hangLimit)
struct OutputTests {
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

    @Test(arguments: [
        "=1+1", "+cmd", "-x", "@SUM(A1)", "\tx", "\rx", "\n=1", "＝1", "'=1", "''-x", "-1.5x", "-inf", "+0x1p3",
        "=HYPERLINK(\"http://x.example\",\"a\")",
    ])
    func fieldsThatASpreadsheetWouldRunAreText(field: String) {
        let row = CSVText.row([field, "b"])
        #expect(row.drop { $0 == "\"" }.hasPrefix("'"))
        #expect(CSVText.firstField(of: row) == field)
    }

    @Test(arguments: ["-1.5", "+2e-05", "-0", "1", "a=b", "'a", "'", "", " =1", "\"\u{301},=1"])
    func otherFieldsStayAsTheyAre(field: String) {
        let row = CSVText.row([field, "b"])
        #expect(CSVText.firstField(of: row) == field)
        #expect(!row.hasPrefix("''") && !row.hasPrefix("'-") && !row.hasPrefix("'+"))
    }

    @Test func aQuotationMarkWithAnAccentDoesNotEndAField() {
        #expect(CSVText.row(["\"\u{301},=1"]) == "\"\"\"\u{301},=1\"\n")
    }

    @Test(arguments: [
        "\u{1B}[31m", "\u{9B}31m", "\u{7F}", "\u{202E}", "\u{2066}", "\u{AD}", "\u{FEFF}", "\u{2028}", "\r", "\n",
    ])
    func aLineForATerminalOnlyShowsCharacters(text: String) throws {
        #expect(TerminalText.printable("a\(text)b").unicodeScalars.first { $0 == text.unicodeScalars.first } == nil)
        // JSON keeps them as escapes.
        var json = JSONText()
        json.array([text]) { $0.string($1) }
        for document in [json.text, JSONText.escapingUnprintable("[\"\(text.filter { $0 >= " " })\"]")] {
            #expect(TerminalText.printable(document) == document)
        }
        #expect(try JSONDecoder().decode([String].self, from: Data(json.text.utf8)) == [text])
    }

    @Test func emojiOfSeveralPeopleStayWhole() {
        #expect(TerminalText.printable("👨‍👩‍👧 نمی‌خواهم") == "👨‍👩‍👧 نمی‌خواهم")
        #expect(TerminalText.printableLines("a\tb\nc\rd") == "a\tb\nc d")
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

    @Test func aListHasOneIndentForAllItsLines() {
        var list = FactList(indent: 8)
        list.add("Name", "cat\n")
        list.add("Labels", ["a", "b"])
        list.add("Empty", [])
        list.add("Nothing", nil)
        #expect(list.text == "Name    cat \nLabels  a\n        b\n")
    }

    @Test(arguments: [(nil, "–"), (999, "999 B"), (1234, "1 kB"), (4_249_000, "4.2 MB"), (2_340_000_000, "2.3 GB")])
    func bytesHaveAUnit(
        count: Int?,
        text: String
    ) {
        #expect(NumberText.bytes(count) == text)
    }

    @Test func progressCountsPicturesAndMarksAnOpenEnd() {
        let bar = "[" + String(repeating: "#", count: 16) + String(repeating: "·", count: 16) + "]"
        let early = PictureProgress.text(done: 50, of: 100, failed: 2, elapsed: .milliseconds(500))
        #expect(early == bar + " 50/100, 2 failed")
        let open = PictureProgress.text(done: 1, of: 8, isTotalFinal: false, failed: 0, elapsed: .zero)
        #expect(open.hasSuffix("] 1/8+"))
    }

    @Test func progressTellsTheRateAndTheTimeLeft() {
        let text = PictureProgress.text(done: 50, of: 100, failed: 0, elapsed: .seconds(4))
        #expect(text.hasSuffix("] 50/100, 12.5 pictures/s, 0:04.0 left"))
        let open = PictureProgress.text(done: 50, of: 100, isTotalFinal: false, failed: 0, elapsed: .seconds(4))
        #expect(open.hasSuffix("] 50/100+, 12.5 pictures/s"))
    }

    @Test(arguments: [-1.0, 0.0, 0.5, 2.0, .nan, .infinity]) func aBarHasItsWidthForAnyShare(share: Double) {
        #expect(ProgressLine.bar(share, width: 10).count == 12)
    }
}
