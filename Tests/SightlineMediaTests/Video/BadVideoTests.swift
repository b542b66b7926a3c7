import Foundation
import Sightline
import SightlineMedia
import SightlineTestSupport
import Testing

/// Files that are damaged, hostile or no video at all.
@Suite(.hangLimit)
struct BadVideoTests {
    private func error(_ path: String) -> VideoError? {
        #expect(throws: VideoError.self) {
            let video = try VideoReader(contentsOf: URL(filePath: path))
            while try video.next() != nil {}
        }
    }

    @Test func saysThatThereIsNoSuchFile() {
        #expect(
            error("/nowhere/video.mp4") == .unreadable(input: "/nowhere/video.mp4", reason: "there is no such file")
        )
    }

    @Test func saysThatAFolderHasNoPictures() throws {
        try withTemporaryFolder { folder in
            #expect(error(folder.path) == .noFrames(input: folder.path, damagedPackets: 0))
        }
    }

    @Test func saysThatAFileIsEmpty() throws {
        try withTemporaryFolder { folder in
            let url = folder.appending(path: "video.mp4")
            try Data().write(to: url)
            #expect(error(url.path) == .notAVideo(input: url.path, reason: "the file is empty"))
        }
    }

    @Test func doesNotWaitForAPipeThatNobodyWritesTo() throws {
        try withTemporaryFolder { folder in
            let path = folder.appending(path: "video.mp4").path
            #expect(mkfifo(path, 0o600) == 0)
            #expect(error(path) == .unreadable(input: path, reason: "it is not a regular file"))
        }
    }

    @Test(arguments: ["text", "zeros", "noise"]) func saysThatAFileIsNoVideo(kind: String) throws {
        try withTemporaryFolder { folder in
            let url = folder.appending(path: "video.mp4")
            var generator = RepeatableRandom(seed: 3)
            let data =
                switch kind {
                case "text": Data(String(repeating: "This is not a video. ", count: 500).utf8)
                case "zeros": Data(count: 100_000)
                default: Data((0..<100_000).map { _ in UInt8(truncatingIfNeeded: generator.next()) })
                }
            try data.write(to: url)
            let error = error(url.path)
            switch error {
            case .notAVideo, .unsupportedFormat, .noVideo, .noFrames: break
            default: Issue.record("\(String(describing: error))")
            }
        }
    }

    @Test func saysThatThereIsOnlySound() throws {
        let url = TestData.video("sound-only.m4a")
        let error = error(url.path)
        #expect(error == .noVideo(input: url.path, hasAudio: true))
        #expect(error?.description.contains("sound but no video") == true)
    }

    @Test(arguments: [
        ("list.m3u8", "#EXTM3U\n#EXT-X-TARGETDURATION:10\n#EXTINF:10,\nSECRET\n#EXT-X-ENDLIST\n"),
        ("list.mp4", "#EXTM3U\n#EXT-X-TARGETDURATION:10\n#EXTINF:10,\nSECRET\n#EXT-X-ENDLIST\n"),
        ("list.mp4", "#EXTM3U\n#EXT-X-TARGETDURATION:10\n#EXTINF:10,\nhttp://127.0.0.1:9/x.ts\n#EXT-X-ENDLIST\n"),
        ("list.mp4", "ffconcat version 1.0\nfile 'SECRET'\n"),
        ("list.sdp", "v=0\no=- 0 0 IN IP4 127.0.0.1\ns=x\nc=IN IP4 127.0.0.1\nt=0 0\nm=video 5004 RTP/AVP 96\n"),
    ]) func refusesFilesThatLeadToOthers(name: String, text: String) throws {
        try withTemporaryFolder { folder in
            let secret = folder.appending(path: "secret.mp4")
            try FileManager.default.copyItem(at: TestData.video("h264-aac.mp4"), to: secret)
            let url = folder.appending(path: name)
            try Data(text.replacing("SECRET", with: "secret.mp4").utf8).write(to: url)
            let error = error(url.path)
            guard case .unsupportedFormat(url.path, _) = error else {
                Issue.record("\(String(describing: error))")
                return
            }
        }
    }

    @Test func refusesFramesThatAreTooLarge() {
        let url = TestData.video("h264-aac.mp4")
        let error = #expect(throws: VideoError.self) {
            try VideoReader(contentsOf: url, options: VideoReaderOptions(maximumPixels: 1000))
        }
        #expect(error == .tooLarge(input: url.path, NumberedFrame.size, maximumPixels: 1000))
    }

    @Test func saysThatAFileCutBeforeItsIndexIsNoVideo() throws {
        try withTemporaryFolder { folder in
            let url = folder.appending(path: "video.mp4")
            let data = try Data(contentsOf: TestData.video("h264-aac.mp4"))
            // The index lies at the end.
            try data.prefix(data.count / 2).write(to: url)
            guard case .notAVideo(url.path, _) = error(url.path) else {
                Issue.record("expected notAVideo")
                return
            }
        }
    }

    @Test(arguments: ["h264-aac.mkv", "vp9-opus.webm", "mjpeg-pcm.avi", "mjpeg.mjpeg"])
    func givesTheFramesOfAFileThatIsCutShort(file: String) throws {
        try withTemporaryFolder { folder in
            let url = folder.appending(path: file)
            let data = try Data(contentsOf: TestData.video(file))
            try data.prefix(data.count * 3 / 5).write(to: url)
            let video = try VideoReader(contentsOf: url)
            var (numbers, last): ([Int], Duration?) = ([], nil)
            while let frame = try video.next() {
                numbers.append(try NumberedFrame.number(in: frame.image))
                #expect(last.map { frame.timestamp > $0 } ?? true)
                last = frame.timestamp
            }
            // The last one may be shown in part.
            #expect(numbers.count >= 5 && numbers.count < 20)
            #expect(numbers.dropLast() == ArraySlice(0..<numbers.count - 1))
        }
    }

    @Test(arguments: [1, 2, 4]) func countsDamagedFrames(threads: Int) throws {
        let file = "h264-aac.mp4"
        try withTemporaryFolder { folder in
            let url = folder.appending(path: file)
            var data = try Data(contentsOf: TestData.video(file))
            // Bit errors in the middle of the largest frames.
            for place in stride(from: data.count / 3, to: data.count / 2, by: 97) { data[place] ^= 0x55 }
            try data.write(to: url)
            let video = try VideoReader(contentsOf: url, options: VideoReaderOptions(decoderThreads: threads))
            while try video.next() != nil {}
            let statistics = video.statistics
            #expect(statistics.damagedFrames + statistics.damagedPackets > 0, "\(statistics)")
        }
    }

    @Test(arguments: ["h264-aac.mkv", "mpeg4-mp3.avi", "hevc.mp4", "vp9-opus.webm", "av1.mkv", "mjpeg-pcm.avi"])
    func aWholeFileHasNoDamage(file: String) throws {
        let video = try VideoReader(contentsOf: TestData.video(file))
        while let frame = try video.next() { #expect(!frame.isDamaged) }
        #expect(video.statistics.damagedFrames == 0 && video.statistics.damagedPackets == 0)
    }

    /// An MP4 file with its index before its frames, as files for the web have it.
    private func indexFirst(_ data: Data) throws -> Data {
        let bytes = [UInt8](data)
        let place = try #require(bytes.firstRange(of: Array("moov".utf8))?.lowerBound) - 4
        var index = Array(bytes[place...])
        // The places of the frames, by chunks: a count and 32 bits each.
        var search = index[...]
        while let table = search.firstRange(of: Array("stco".utf8)) {
            func number(at place: Int) -> Int { index[place..<place + 4].reduce(0) { $0 << 8 | Int($1) } }
            for entry in 0..<number(at: table.upperBound + 4) {
                let place = table.upperBound + 8 + entry * 4
                let moved = number(at: place) + index.count
                for byte in 0..<4 { index[place + byte] = UInt8(truncatingIfNeeded: moved >> (24 - 8 * byte)) }
            }
            search = index[table.upperBound...]
        }
        let start = try #require(bytes.firstRange(of: Array("free".utf8))?.lowerBound) - 4
        return Data(bytes[..<start] + index + bytes[start..<place])
    }

    private func earlyEnd(_ data: Data, name: String) throws -> (reason: String?, frames: Int) {
        try withTemporaryFolder { folder in
            let url = folder.appending(path: name)
            try data.write(to: url)
            let video = try VideoReader(contentsOf: url)
            while try video.next() != nil {}
            return (video.statistics.earlyEnd, video.statistics.frames)
        }
    }

    // The first frame of the second file is more than half of it.
    @Test(arguments: [
        ("h264-aac.mp4", 0.3), ("h264-aac.mp4", 0.6), ("h264-422-10.mp4", 0.65), ("hevc.mp4", 0.3), ("hevc.mp4", 0.5),
    ])
    func saysThatAnMP4FileIsCutShort(file: String, share: Double) throws {
        let data = try indexFirst(try Data(contentsOf: TestData.video(file)))
        let whole = try earlyEnd(data, name: file)
        #expect(whole.reason == nil && whole.frames == 20)
        let frames = try #require([UInt8](data).firstRange(of: Array("mdat".utf8))?.upperBound)
        let cut = try earlyEnd(data.prefix(frames + Int(Double(data.count - frames) * share)), name: file)
        #expect(cut.frames < 20)
        #expect(cut.reason?.hasPrefix("it says that it is 2.0 s long, but it ends after ") == true, "\(cut)")
    }

    @Test(arguments: ["mjpeg-pcm.avi", "av1.mkv"])
    func saysThatAFileOfAnotherKindIsCutShort(file: String) throws {
        let data = try Data(contentsOf: TestData.video(file))
        #expect(try earlyEnd(data, name: file).reason == nil)
        #expect(try earlyEnd(data.prefix(data.count * 3 / 5), name: file).reason != nil)
    }

    @Test func whatIsLeftOutByChoiceIsNotMissing() throws {
        let url = TestData.video("h264-aac.mp4")
        for (start, end) in [(Duration.seconds(1), Duration?.none), (.zero, .milliseconds(500)), (.seconds(9), nil)] {
            let video = try VideoReader(contentsOf: url, options: VideoReaderOptions(start: start, end: end))
            while try video.next() != nil {}
            #expect(video.statistics.earlyEnd == nil)
        }
    }

    @Test func givesTheFramesOfAVideoWhoseWriterWasCutOff() throws {
        try withTemporaryFolder { folder in
            let whole = folder.appending(path: "whole.mp4")
            try writeVideo(to: whole, frames: 100)
            let data = try Data(contentsOf: whole)
            let url = folder.appending(path: "video.mp4")
            try data.prefix(data.count * 3 / 4).write(to: url)
            let numbers = try VideoReader(contentsOf: url).rest().map(\.number)
            #expect(numbers.count >= 40 && numbers.count < 100)
            #expect(numbers == Array(0..<numbers.count))
        }
    }

    @Test func passesOverDamagedPacketsAndCountsThem() throws {
        try withTemporaryFolder { folder in
            let url = folder.appending(path: "video.avi")
            try damagedMotionJPEG { $0 == 7 }.write(to: url)
            let video = try VideoReader(contentsOf: url)
            #expect(try video.rest().map(\.number) == Array(0..<20).filter { $0 != 7 })
            #expect(video.statistics.damagedPackets == 1)
        }
    }

    @Test func failsWhenNothingCanBeDecoded() throws {
        try withTemporaryFolder { folder in
            let url = folder.appending(path: "video.avi")
            try damagedMotionJPEG { _ in true }.write(to: url)
            switch error(url.path) {
            case .noFrames(url.path, let damaged): #expect(damaged == 20)
            case let error: Issue.record("\(String(describing: error))")
            }
        }
    }

    @Test(arguments: VideoReaderTests.fixtures.map(\.file)) func survivesFlippedBits(file: String) throws {
        var generator = RepeatableRandom(seed: 11)
        let original = try Data(contentsOf: TestData.video(file))
        try withTemporaryFolder { folder in
            for round in 0..<12 {
                var data = original
                for _ in 0..<[1, 4, 40][round % 3] {
                    data[Int.random(in: 0..<data.count, using: &generator)] ^=
                        1 << UInt8.random(in: 0..<8, using: &generator)
                }
                let url = folder.appending(path: file)
                try data.write(to: url)
                do throws(VideoError) {
                    let video = try VideoReader(contentsOf: url, options: VideoReaderOptions(maximumPixels: 1 << 20))
                    var last: Duration?
                    while let frame = try video.next() {
                        #expect(last.map { frame.timestamp > $0 } ?? true)
                        last = frame.timestamp
                        _ = try? frame.image.upright()
                        if video.statistics.frames > 200 { break }
                    }
                } catch {
                    #expect(error.description.contains(url.path))
                }
            }
        }
    }

    @Test(arguments: [
        "rtsp://user:secret@127.0.0.1:1/stream", "rtsp://127.0.0.1:1/user=admin&password=secret&channel=1",
        "http://127.0.0.1:1/videostream.cgi?user=admin&pwd=secret", "RTSP://127.0.0.1:1/a#secret",
        "http://user:se@secret@127.0.0.1:1/",
    ]) func namesInputsByHostAndPortAlone(address: String) {
        let error = #expect(throws: VideoError.self) {
            try VideoReader(input: VideoInput(address), options: VideoReaderOptions(timeout: .seconds(2)))
        }
        let scheme = address.prefix(4).lowercased()
        #expect(error?.description.hasPrefix("\(scheme)://127.0.0.1:1: ") == true, "\(String(describing: error))")
        #expect(error?.description.contains("secret") == false)
    }

    @Test(arguments: [
        "rtsp://user:sec/ret@127.0.0.1:1/", "rtsp://user:sec#ret@127.0.0.1/1", "rtsp://user:1/ret@127.0.0.1/1",
        "rtsp://user:sec?ret@127.0.0.1/1",
    ]) func anAddressThatIsNoneIsNotPrinted(address: String) {
        let error = #expect(throws: VideoError.self) {
            try VideoReader(input: VideoInput(address), options: VideoReaderOptions(timeout: .seconds(2)))
        }
        #expect(error?.description.hasPrefix("rtsp://…: ") == true, "\(String(describing: error))")
        #expect(error?.description.contains("ret") == false || error?.description.contains("%2F") == true)
    }

    @Test func anUnknownHostIsSaid() {
        let error = #expect(throws: VideoError.self) {
            try VideoReader(input: VideoInput("http://camera.invalid/secret"))
        }
        #expect(error == .unknownHost(input: "http://camera.invalid", host: "camera.invalid"))
    }

    @Test(arguments: [
        VideoError.missingLibrary(name: "libavformat.so.59", reason: "x", packages: "p"),
        .noFrames(input: "a", damagedPackets: 2),
        .timedOut(input: "a", after: .seconds(3)), .lost(input: "a", reason: "b", attempts: 5),
        .invalidAddress(input: "a"), .unknownHost(input: "a", host: "b"), .unauthorized(input: "a", reason: "b"),
        .unreachable(input: "a", reason: "b"),
        .notSeekable(input: "a"),
        .diskFull(path: "a"), .unsupportedCodec(input: "a", codec: "prores"),
    ]) func errorsAreOneSentenceThatSaysWhatToDo(error: VideoError) {
        #expect(error.description.hasSuffix("."))
        #expect(error.description.contains(";"))
        #expect(error.localizedDescription == error.description)
    }
}
