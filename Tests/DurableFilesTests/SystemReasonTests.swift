import DurableFiles
import Foundation
import SightlineTestSupport
import Testing

@Suite(.hangLimit) struct SystemReasonTests {
    @Test func theReasonOfAFailedReadIsTheSystems() throws {
        try withTemporaryFolder { folder in
            for (path, reason) in [("absent.txt", "No such file or directory"), (".", "Is a directory")] {
                let error = #expect(throws: (any Error).self) {
                    _ = try Data(contentsOf: folder.appending(path: path))
                }
                let found = try #require(error)
                #expect(SystemReason.of(found) == reason)
            }
        }
    }

    @Test func theReasonOfAFailedWriteIsTheSystems() throws {
        let full = try FileHandle(forWritingTo: URL(filePath: "/dev/full"))
        let error = #expect(throws: (any Error).self) { try full.write(contentsOf: Data([1])) }
        let found = try #require(error)
        #expect(SystemReason.of(found) == "No space left on device")
    }

    @Test func anErrorOfOurOwnKeepsItsReason() {
        #expect(SystemReason.of(DurableFileError(path: "a", code: EIO)) == "Input/output error")
    }
}
