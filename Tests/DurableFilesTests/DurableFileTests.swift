import DurableFiles
import Foundation
import SightlineTestSupport
import Testing

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

    @Test func leftoversOfKilledProcessesAreRemovedAndThoseOfOthersAreNot() throws {
        try withTemporaryFolder { folder in
            let left = folder.appending(path: ".partial-1")
            let held = folder.appending(path: ".partial-2")
            try Data("left".utf8).write(to: left)
            let lock = try #require(try FileLock.takenIfFree(partialFile: held.path))
            try FileManager.default.createDirectory(
                at: folder.appending(path: ".partial-folder"),
                withIntermediateDirectories: false
            )
            try lock.whileHeld { try DurableFile.write(Data("new".utf8), to: folder.appending(path: "file")) }
            let names = try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted()
            #expect(names == [".partial-2", ".partial-folder", "file"])
        }
    }

    @Test func aFileNeedNotReachTheDisk() throws {
        try withTemporaryFolder { folder in
            let file = folder.appending(path: String(repeating: "ü", count: 120))
            try DurableFile.write(Data([1]), to: file, isSynchronized: false)
            try DurableFile.write(Data([2]), to: file, isSynchronized: false)
            #expect(try Data(contentsOf: file) == Data([2]))
            #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).count == 1)
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
