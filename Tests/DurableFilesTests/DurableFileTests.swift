import Foundation
import SightlineTestSupport
import Testing

@testable import DurableFiles

@Suite(.hangLimit) struct DurableFileTests {
    @Test func aFileIsWrittenAndReplaced() throws {
        try withTemporaryFolder { folder in
            let file = folder.appending(path: "model 1 ü.tflite")
            for content in [Data("first".utf8), Data(), Data(repeating: 7, count: 3_000_000)] {
                try DurableFile.write(content, to: file)
                #expect(try Data(contentsOf: file) == content)
            }
            #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == ["model 1 ü.tflite"])
        }
    }

    @Test func aFailureLeavesNothingAndNamesThePath() throws {
        try withTemporaryFolder { folder in
            let occupied = folder.appending(path: "folder")
            try FileManager.default.createDirectory(
                at: occupied.appending(path: "inner"),
                withIntermediateDirectories: true
            )
            for file in [occupied, folder.appending(path: "missing/file")] {
                let error = #expect(throws: DurableFileError.self) { try DurableFile.write(Data([1]), to: file) }
                #expect(error?.description.contains(file.lastPathComponent) == true)
            }
            #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == ["folder"])
        }
    }
}
