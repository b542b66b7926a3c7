import Foundation
import Sightline
import SightlineMedia
import SightlineTestSupport
import Testing

/// Frames as an asynchronous sequence, decoded ahead.
@Suite(.hangLimit)
struct VideoFramesTests {
    @Test(arguments: [1, 4, 100]) func givesAllFramesInOrder(ahead: Int) async throws {
        let video = try VideoReader(contentsOf: TestData.video("h264-aac.mp4"))
        var numbers: [Int] = []
        for try await frame in video.frames(decodingAhead: ahead) {
            numbers.append(try NumberedFrame.number(in: frame.image))
        }
        #expect(numbers == Array(0..<20))
    }

    @Test func decodesNoFurtherAheadThanAllowed() async throws {
        let video = try VideoReader(contentsOf: TestData.video("h264-aac.mp4"))
        var iterator = video.frames(decodingAhead: 3).makeAsyncIterator()
        _ = try await iterator.next()
        // Long enough to decode everything, were it not bounded.
        try await Task.sleep(for: .milliseconds(300))
        #expect(video.statistics.frames <= 5)
        #expect(video.statistics.frames >= 1)
    }

    @Test func tellsTheErrorOnceAndThenTheEnd() async throws {
        try await withTemporaryFolder { folder in
            let url = folder.appending(path: "video.avi")
            try damagedMotionJPEG { _ in true }.write(to: url)
            let video = try VideoReader(contentsOf: url)
            var iterator = video.frames().makeAsyncIterator()
            await #expect(throws: VideoError.self) { try await iterator.next() }
            #expect(try await iterator.next() == nil)
        }
    }

    @Test func endsWhenItsTaskIsCancelled() async throws {
        let video = try VideoReader(contentsOf: TestData.video("h264-aac.mp4"))
        let task = Task {
            var count = 0
            for try await _ in video.frames(decodingAhead: 2) {
                count += 1
                if count == 3 { withUnsafeCurrentTask { $0?.cancel() } }
            }
            return count
        }
        #expect(try await task.value == 3)
        #expect(try video.next() == nil)
    }

    @Test func endsReadingWhenTheLoopIsLeft() async throws {
        let video = try VideoReader(contentsOf: TestData.video("h264-aac.mp4"))
        for try await frame in video.frames() where frame.index == 4 { break }
        #expect(try video.next() == nil)
    }

    @Test func aVideoThatWasReadToItsEndCanBeReadAgain() async throws {
        let video = try VideoReader(contentsOf: TestData.video("h264-aac.mp4"))
        for _ in 0..<2 {
            var count = 0
            for try await _ in video.frames() { count += 1 }
            #expect(count == 20)
            try video.seek(to: .zero)
        }
    }

    @Test(.enabled(if: FileManager.default.fileExists(atPath: "/proc/self/fd"), "needs a list of open files"))
    func manyThatAreLeftEarlyLeaveNothingBehind() async throws {
        try await withTemporaryFolder { folder in
            // A copy of its own, so that other tests' open files do not count.
            let file = folder.appending(path: "video.mp4")
            try FileManager.default.copyItem(at: TestData.video("h264-aac.mp4"), to: file)
            func openFiles() throws -> Int {
                try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count { number in
                    let target = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/" + number)
                    return target.map { URL(filePath: $0).lastPathComponent } == "video.mp4"
                        && target?.contains(folder.lastPathComponent) == true
                }
            }
            func round() async throws {
                let video = try VideoReader(contentsOf: file)
                for try await _ in video.frames() { break }
            }
            for _ in 0..<100 { try await round() }
            // Threads close their files a little later.
            var attemptsLeft = 3000
            while try openFiles() > 0, attemptsLeft > 0 {
                try await Task.sleep(for: .milliseconds(100))
                attemptsLeft -= 1
            }
            #expect(try openFiles() == 0)
        }
    }
}
