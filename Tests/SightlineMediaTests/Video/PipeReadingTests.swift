import Foundation
import SightlineMedia
import SightlineTestSupport
import Synchronization
import Testing

/// Videos that come through a pipe.
@Suite(.hangLimit) struct PipeReadingTests {
    /// Reads what a thread sends through a named pipe.
    private func withPipe<Value>(
        sending data: Data,
        closes: Bool = true,
        _ body: (VideoInput) throws -> Value
    ) throws -> Value {
        try withTemporaryFolder { folder in
            let path = folder.appending(path: "video").path
            try #require(mkfifo(path, 0o600) == 0)
            let isRead = DispatchSemaphore(value: 0)
            let thread = Thread {
                // A reader that gives up closes the pipe.
                signal(SIGPIPE, SIG_IGN)
                let descriptor = open(path, O_WRONLY)
                data.withUnsafeBytes { bytes in
                    var rest = bytes[...]
                    while !rest.isEmpty {
                        let count = write(descriptor, UnsafeRawBufferPointer(rebasing: rest).baseAddress, rest.count)
                        guard count > 0 else { break }
                        rest = rest.dropFirst(count)
                    }
                }
                if !closes { isRead.wait() }
                close(descriptor)
            }
            thread.start()
            defer { isRead.signal() }
            return try body(VideoInput(path))
        }
    }

    private func fixture(_ name: String) throws -> Data { try Data(contentsOf: TestData.fixture("videos/" + name)) }

    @Test(arguments: ["h264-aac.mkv", "vp9-opus.webm", "mjpeg.mjpeg", "mjpeg-pcm.avi"])
    func hasTheFramesOfTheFile(name: String) throws {
        let file = try VideoReader(contentsOf: TestData.fixture("videos/" + name))
        let expected = try file.rest()
        let frames = try withPipe(sending: fixture(name)) { input in
            #expect(input.isPipe)
            let reader = try VideoReader(input: input)
            #expect(!reader.info.isLive && reader.info.size == file.info.size)
            return try reader.rest()
        }
        #expect(frames.map(\.time) == expected.map(\.time))
        #expect(frames.map(\.number) == expected.map(\.number))
    }

    @Test func beginsAtATimeButGoesNotBack() throws {
        try withPipe(sending: fixture("h264-aac.mkv")) { input in
            let reader = try VideoReader(input: input, options: VideoReaderOptions(start: .seconds(1)))
            let first = try reader.next()
            #expect(first.map { $0.timestamp >= .seconds(1) } == true)
            #expect(throws: VideoError.notSeekable(input: input.path)) { try reader.seek(to: .zero) }
        }
    }

    @Test(arguments: ["", "no video"]) func saysThatNoVideoComes(text: String) throws {
        try withPipe(sending: Data(text.utf8)) { input in
            let error = #expect(throws: VideoError.self) { try VideoReader(input: input) }
            #expect("\(error, default: "")".contains("no video can be read from it"))
            #expect("\(error, default: "")".contains("most MP4 files have their index at the end"))
        }
    }

    @Test func saysThatAFileMustNotHaveItsIndexAtItsEnd() throws {
        var video = try fixture("h264-gray.mp4")
        let index = try #require(video.range(of: Data("moov".utf8), options: .backwards)).lowerBound - 4
        // An empty box of 256 KiB separates the frames from the index, as the frames of a longer video would.
        video.insert(contentsOf: [0, 4, 0, 0] + Array("free".utf8) + [UInt8](repeating: 0, count: 0x3_FFF8), at: index)
        try withPipe(sending: video) { input in
            let error = #expect(throws: VideoError.self) { try VideoReader(input: input).rest() }
            #expect("\(error, default: "")".contains("most MP4 files have their index at the end"))
        }
    }

    @Test func aCutOffVideoIsTold() throws {
        let video = try fixture("mjpeg-pcm.avi")
        try withPipe(sending: video.prefix(video.count / 2)) { input in
            let reader = try VideoReader(input: input)
            #expect(try !reader.rest().isEmpty)
            #expect(reader.statistics.earlyEnd != nil)
        }
    }

    @Test func cancellingEndsTheWaitForASilentSender() throws {
        try withPipe(sending: fixture("vp9-opus.webm"), closes: false) { input in
            let reader = try VideoReader(input: input)
            let thread = Thread {
                usleep(100_000)
                reader.cancel()
            }
            thread.start()
            while try reader.next() != nil {}
        }
    }
}

extension VideoInput {
    fileprivate var isPipe: Bool { if case .pipe = self { true } else { false } }

    fileprivate var path: String { if case .pipe(let path) = self { path } else { "" } }
}
