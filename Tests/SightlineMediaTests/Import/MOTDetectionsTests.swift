import Foundation
import Sightline
import SightlineTestSupport
import Testing

@testable import SightlineMedia

/// Reading detections of MOTChallenge.
@Suite(.hangLimit)
struct MOTDetectionsTests {
    private func read(_ text: String) throws(MOTDetectionsError) -> MOTDetections {
        try MOTDetections(Data(text.utf8), name: "det.txt")
    }

    @Test func readsDetectionsInTheOrderOfTheirFrames() throws {
        let detections = try read(
            "7,-1,1.5,-2,30,40.25,0.9,-1,-1,-1\r\n\n 2 , -1, 1e1, 0.1, 3, 4, 1\n7.0,-1,5,6,7,8,.5,,,,"
        )
        #expect(detections.frames.map(\.number) == [2, 7])
        #expect(
            detections.frames[1].detections == [
                DetectedObject(frame: PixelRect(x: 1.5, y: -2, width: 30, height: 40.25), confidence: 0.9),
                DetectedObject(frame: PixelRect(x: 5, y: 6, width: 7, height: 8), confidence: 0.5),
            ]
        )
        #expect(detections.frames[0].detections.first?.frame == PixelRect(x: 10, y: 0.1, width: 3, height: 4))
    }

    @Test(arguments: [String.Encoding.utf8, .utf16LittleEndian, .utf16BigEndian])
    func aByteOrderMarkIsNotAPartOfTheFirstLine(encoding: String.Encoding) throws {
        let text = try #require("\u{FEFF}3,-1,1,2,3,4,0.5\r\n".data(using: encoding))
        #expect(try MOTDetections(text, name: "det.txt").frames.map(\.number) == [3])
    }

    @Test func aDetectionWithoutAScoreIsCertain() throws {
        let detections = try read("1,-1,1,2,3,4,-1\n1,-1,1,2,3,4,-0.25\n1,-1,1,2,3,4,0")
        #expect(detections.frames.first?.detections.map(\.confidence) == [1, -0.25, 0])
        #expect(detections.unscoredCount == 1 && detections.negativeCount == 1)
    }

    @Test func boxesOfAFrameKeepTheOrderOfALongFileInWhichFramesAreMixed() throws {
        // Several pieces of a file, whose ends cut lines.
        let lines = (0..<30_000).map { "\($0 % 7 + 1),-1,\($0),0,1,1,0.5" }
        let text = Data(lines.joined(separator: "\r\n").utf8)
        #expect(text.count > 1 << 19)
        let detections = try withTemporaryFolder { folder in
            let file = folder.appending(path: "det.txt")
            try text.write(to: file)
            return try MOTDetections(contentsOf: file)
        }
        #expect(detections.frames.map(\.number) == Array(1...7))
        for frame in detections.frames {
            let expected = stride(from: frame.number - 1, to: 30_000, by: 7).map(Double.init)
            #expect(frame.detections.map(\.frame.x) == expected)
        }
        #expect(try detections == MOTDetections(text, name: "det.txt"))
    }

    @Test func aBoxTakes40BytesUntilItsFrameIsRead() {
        #expect(MemoryLayout<MOTDetections.Box>.stride == 40)
    }

    @Test func anEmptyFileHasNoFrames() throws {
        #expect(try read("\n \n").frames.isEmpty)
    }

    @Test func numbersAreReadToTheLastDigit() throws {
        var generator = RepeatableRandom(seed: 3)
        for _ in 0..<2000 {
            let digits = Int.random(in: -6...9, using: &generator)
            let number = (Double.random(in: -1e4...1e4, using: &generator) * 1e6).rounded() / 1e6
            let text = digits < 0 ? "\(number)" : "\(number)" + String(repeating: "0", count: digits)
            #expect(try read("1,-1,\(text),0,1,1,1").frames.first?.detections.first?.frame.x == number)
        }
    }

    @Test(arguments: [
        ("1,-1,0,0,1,1", "det.txt, line 1: it has 6 columns, expected 7 to 10"),
        ("1,-1,0x10,0,1,1,1", "det.txt, line 1: the left is “0x10”, which is not a number"),
        ("frame,id,x,y,w,h,score", "det.txt, line 1: the frame is “frame”, which is not a number"),
        ("1;-1;0;0;1;1;1", "det.txt, line 1: its fields are separated by semicolons, expected commas"),
        ("1\t-1\t0\t0\t1\t1\t1", "det.txt, line 1: its fields are separated by tabs, expected commas"),
        ("1 -1 0 0 1 1 1", "det.txt, line 1: its fields are separated by spaces, expected commas"),
        (
            "1,-1,50,5,100,5,20,0,40,0,0,9,-1,-1,-1",
            "det.txt, line 1: it has 15 columns, expected 7 to 10 (numbers need a decimal point, not a comma)"
        ),
        ("1,-1,50,5,100,5,20,0,40,0", "det.txt, line 1: the score is 20, expected 0 to 1, or -1 for none"),
        ("1,-1,0,0,0,1,1", "det.txt, line 1: the width is 0, expected a number above 0"),
        ("1,-1,0,0,1,-2.5,1", "det.txt, line 1: the height is -2.5, expected a number above 0"),
        ("1,-1,0,0,1,1,90", "det.txt, line 1: the score is 90, expected 0 to 1, or -1 for none"),
        ("1,-1,0,0,1,1,1\n1,-1,0,x,1,1,1", "det.txt, line 2: the top is “x”, which is not a number"),
        ("1,-1,0,,1,1,1", "det.txt, line 1: the top is “”, which is not a number"),
        ("1,-1,0,nan,1,1,1", "det.txt, line 1: the top is “nan”, which is not a number"),
        ("0,-1,0,0,1,1,1", "det.txt, line 1: the frame is 0.0, expected a whole number from 1 to 1000000000"),
        ("1.5,-1,0,0,1,1,1", "det.txt, line 1: the frame is 1.5, expected a whole number from 1 to 1000000000"),
        ("1e30,-1,0,0,1,1,1", "det.txt, line 1: the frame is 1e+30, expected a whole number from 1 to 1000000000"),
        ("-,-1,0,0,1,1,1", "det.txt, line 1: the frame is “-”, which is not a number"),
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
