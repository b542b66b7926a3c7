import Foundation
import SightlineTestSupport
import Testing

@testable import SightlineCLI

/// Lists of paths on standard input.
@Suite(.hangLimit)
struct PathListTests {
    /// The paths of a list that comes in parts.
    private func paths(_ parts: [String]) -> [String] {
        var list = PathList()
        var paths: [String] = []
        for part in parts {
            list.append(Array(part.utf8))
            while let path = list.next(isComplete: false) { paths.append(String(decoding: path, as: UTF8.self)) }
        }
        while let path = list.next(isComplete: true) { paths.append(String(decoding: path, as: UTF8.self)) }
        return paths
    }

    @Test func aPathIsALine() {
        #expect(paths(["a.jpg\nb b.jpg\r\n\n\nc.jpg"]) == ["a.jpg", "b b.jpg", "c.jpg"])
        #expect(paths(["a.j", "pg\nb", ".jpg", "\n"]) == ["a.jpg", "b.jpg"])
        #expect(paths([]).isEmpty)
    }

    @Test func aByteOrderMarkIsNotAPartOfTheFirstPath() {
        #expect(paths(["\u{FEFF}a.jpg\nb.jpg"]) == ["a.jpg", "b.jpg"])
        #expect(paths(["\u{FEFF}a.jpg\0b.jpg\0"]) == ["a.jpg", "b.jpg"])
        #expect(paths(["\u{FEFF}"]).isEmpty)
    }

    @Test(arguments: [String.Encoding.utf16LittleEndian, .utf16BigEndian], [1, 2, 3, 7, 100])
    func aListInUTF16HasTheSamePaths(encoding: String.Encoding, partSize: Int) throws {
        let bytes = Array(try #require("\u{FEFF}grün 🐈.jpg\r\nb.jpg\nc".data(using: encoding)))
        var list = PathList()
        for start in stride(from: 0, to: bytes.count, by: partSize) {
            list.append(bytes[start..<min(start + partSize, bytes.count)])
        }
        var paths: [String] = []
        while let path = list.next(isComplete: true) { paths.append(String(decoding: path, as: UTF8.self)) }
        #expect(paths == ["grün 🐈.jpg", "b.jpg", "c"])
    }

    @Test func aMarkThatComesInPartsIsSeen() {
        var list = PathList()
        for byte in Array("\u{FEFF}a.jpg\n".utf8) { list.append([byte]) }
        #expect(list.next(isComplete: false) == Array("a.jpg".utf8))
    }

    @Test func inAListWithNULsAPathEndsWithOne() {
        #expect(paths(["a.jpg\0b\nb.jpg\0c.jpg\r\0"]) == ["a.jpg", "b\nb.jpg", "c.jpg\r"])
        #expect(paths(["a.j", "pg\0", "\0b.jpg"]) == ["a.jpg", "b.jpg"])
    }

    @Test func aPathIsGivenAsSoonAsItsEndIsThere() {
        var list = PathList()
        list.append(Array("a.jpg".utf8))
        #expect(list.next(isComplete: false) == nil)
        list.append(Array("\0b".utf8))
        #expect(list.next(isComplete: false) == Array("a.jpg".utf8))
        #expect(list.next(isComplete: false) == nil)
        #expect(list.next(isComplete: true) == Array("b".utf8))
    }

    @Test func theListOfFindPrint0IsUnderstood() async throws {
        try await withTemporaryFolder { folder in
            try Pictures.write(
                ["red.png": Pictures.png(red: 255), "two\nlines.png": Pictures.png(green: 255)],
                in: folder
            )
            let result = try await Command.run(
                ["label", "--stdin", "--model", Command.classifier, "--max-labels", "1"],
                input: Data("red.png\0two\nlines.png\0".utf8),
                in: folder
            )
            #expect(result.status == 0)
            let records = try result.records()
            #expect(records.map { $0["image"] as? String } == ["red.png", "two\nlines.png"])
            #expect(records.map { ($0["labels"] as? [[String: Any]])?.first?["text"] as? String } == ["red", "green"])
        }
    }

    @Test func aListOfLinesWithANULIsAnError() async throws {
        try await withTemporaryFolder { folder in
            try Pictures.write(["red.png": Pictures.png(red: 255)], in: folder)
            let process = try await Command.program.start(
                ["label", "--stdin", "--model", Command.classifier],
                in: folder
            )
            try await process.send("red.png\n")
            try await process.waitForOutput { !$0.isEmpty }
            try await process.send("red.png\0red.png\n")
            await process.closeInput()
            let result = try await process.result()
            #expect(result.output.contains(#""error":"the list has both lines and NULs"#))
            #expect(result.status == 1)
        }
    }
}
