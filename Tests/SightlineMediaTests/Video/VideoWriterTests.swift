import Foundation
import Sightline
import SightlineMedia
import SightlineTestSupport
import Testing

/// Writing videos.
@Suite(.hangLimit)
struct VideoWriterTests {
    @Test(arguments: [VideoWriter.Codec.automatic, .mpeg4]) func writesFramesThatReadBackInOrderAtTheirTimes(
        codec: VideoWriter.Codec
    ) throws {
        try withTemporaryFolder { folder in
            let url = folder.appending(path: "video.mp4")
            let summary = try writeVideo(to: url, frames: 70, codec: codec)
            #expect(summary.frames == 70)
            let video = try VideoReader(contentsOf: url)
            #expect(video.info.codec == summary.codec)
            #expect(video.info.size == NumberedFrame.size)
            #expect(video.info.duration?.isClose(to: .seconds(7)) == true)
            let frames = try video.rest()
            #expect(frames.map(\.number) == Array(0..<70))
            for (number, time) in frames { #expect(time.isClose(to: .milliseconds(100) * number)) }
            #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == ["video.mp4"])
        }
    }

    @Test func keepsAVariableFrameRate() throws {
        let times: [Duration] = [0, 40, 50, 300, 1700, 1733, 9000].map { .milliseconds($0) }
        try withTemporaryFolder { folder in
            let url = folder.appending(path: "video.mp4")
            try writeVideo(to: url, times: times)
            let video = try VideoReader(contentsOf: url)
            #expect(video.info.duration.map { $0 > .seconds(9) } == true)
            let found = try video.rest()
            #expect(found.map(\.number) == Array(0..<7))
            for (found, time) in zip(found, times) { #expect(found.time.isClose(to: time)) }
        }
    }

    @Test func beginsWithTheFirstFrameAndNeverGoesBack() throws {
        let times: [Duration] = [5000, 5100, 5050, 5300].map { .milliseconds($0) }
        try withTemporaryFolder { folder in
            let url = folder.appending(path: "video.mp4")
            try writeVideo(to: url, times: times)
            let found = try VideoReader(contentsOf: url).rest()
            #expect(found.map(\.number) == [0, 1, 2, 3])
            #expect(found.first?.time == .zero)
            #expect(found.last?.time.isClose(to: .milliseconds(300)) == true)
        }
    }

    @Test(arguments: PixelBuffer.Format.allCases) func takesPixelsOfAnyFormat(format: PixelBuffer.Format) throws {
        try withTemporaryFolder { folder in
            let url = folder.appending(path: "video.mp4")
            let writer = try VideoWriter(url: url, like: VideoInfo(size: NumberedFrame.size, frameRate: 10))
            for number in 0..<10 {
                try writer.append(NumberedFrame.pixels(number, format: format), at: .milliseconds(100) * number)
            }
            try writer.finish()
            let video = try VideoReader(contentsOf: url)
            #expect(try video.rest().map(\.number) == Array(0..<10))
            // The color of frame 0, all of which is dark.
            let before = try VisionImage(pixels: NumberedFrame.pixels(0, format: format)).upright().pixel(30, 20)
            try video.seek(to: .zero)
            let after = try #require(try video.next()).image.upright().pixel(30, 20)
            for (old, new) in [(before.red, after.red), (before.green, after.green), (before.blue, after.blue)] {
                #expect(abs(Int(old) - Int(new)) <= 6)
            }
        }
    }

    @Test(arguments: [(1, 1), (2, 2), (65, 49), (3, 200), (640, 17)]) func makesOddSizesEven(width: Int, height: Int)
        throws
    {
        try withTemporaryFolder { folder in
            let url = folder.appending(path: "video.mp4")
            let size = PixelSize(width: width, height: height)
            try writeVideo(to: url, frames: 3, size: size)
            let video = try VideoReader(contentsOf: url)
            #expect(video.info.size == PixelSize(width: max(width & ~1, 2), height: max(height & ~1, 2)))
            #expect(try video.next() != nil)
        }
    }

    @Test func fitsFramesOfAnotherSizeBetweenBlackBorders() throws {
        try withTemporaryFolder { folder in
            let url = folder.appending(path: "video.mp4")
            let writer = try VideoWriter(url: url, like: VideoInfo(size: NumberedFrame.size, frameRate: 10))
            try writer.append(NumberedFrame.frame(255, at: .zero))
            try writer.append(
                NumberedFrame.frame(255, at: .milliseconds(100), size: PixelSize(width: 200, height: 50))
            )
            try writer.append(NumberedFrame.frame(255, at: .milliseconds(200)))
            try writer.finish()
            let video = try VideoReader(contentsOf: url)
            _ = try video.next()
            let picture = try #require(try video.next()).image.upright()
            #expect(picture.size == NumberedFrame.size)
            // 200 × 50 become 64 × 16 in the middle.
            #expect(try picture.pixel(32, 24).green > 180)
            #expect(try picture.pixel(32, 4).green < 30)
            #expect(try picture.pixel(32, 44).green < 30)
            #expect(try #require(try video.next()).image.upright().pixel(32, 4).green > 180)
        }
    }

    // MARK: Sound

    @Test(arguments: ["h264-aac.mp4", "h264-aac.mkv", "vp9-opus.webm", "mpeg4-mp3.avi"]) func copiesSound(file: String)
        throws
    {
        try withTemporaryFolder { folder in
            let (first, second) = (folder.appending(path: "first.mp4"), folder.appending(path: "second.mp4"))
            func copy(_ source: URL, to url: URL) throws -> VideoWriter.Summary {
                let video = try VideoReader(contentsOf: source)
                let writer = try VideoWriter(url: url, like: video.info, copyingAudioFrom: source)
                while let frame = try video.next() { try writer.append(frame) }
                try writer.finish()
                return writer.summary
            }
            let summary = try copy(TestData.video(file), to: first)
            #expect(summary.copiesAudio)
            #expect(summary.audioPackets >= 30)
            #expect(try VideoReader(contentsOf: first).info.hasAudio)
            // The written file has as many packets as the source.
            #expect(try copy(first, to: second).audioPackets == summary.audioPackets)
        }
    }

    @Test func copiesTheSoundOfThePartThatIsWritten() throws {
        try withTemporaryFolder { folder in
            let source = TestData.video("h264-aac.mp4")
            func packets(_ options: VideoReaderOptions) throws -> Int {
                let video = try VideoReader(contentsOf: source, options: options)
                let url = folder.appending(path: "part.mp4")
                let writer = try VideoWriter(url: url, like: video.info, copyingAudioFrom: source)
                while let frame = try video.next() { try writer.append(frame) }
                try writer.finish()
                #expect(try VideoReader(contentsOf: url).info.duration.map { $0 < .seconds(2.3) } == true)
                return writer.summary.audioPackets
            }
            let whole = try packets(VideoReaderOptions())
            let half = try packets(VideoReaderOptions(start: .milliseconds(500), end: .milliseconds(1500)))
            // Two or three packets more, for the decoder to settle and for the last frame's time.
            #expect((whole / 2...whole / 2 + 4).contains(half))
        }
    }

    @Test func leavesOutSoundThatTheFormatCannotHold() throws {
        try withTemporaryFolder { folder in
            let source = TestData.video("mjpeg-pcm.avi")
            let writer = try VideoWriter(
                url: folder.appending(path: "video.mp4"),
                like: VideoInfo(size: NumberedFrame.size),
                copyingAudioFrom: source
            )
            try writer.append(NumberedFrame.frame(0, at: .zero))
            try writer.finish()
            #expect(!writer.summary.copiesAudio)
        }
    }

    // MARK: Files

    @Test func keepsTheOldFileUntilTheNewOneIsFinished() throws {
        try withTemporaryFolder { folder in
            let url = folder.appending(path: "video.mp4")
            try Data("old".utf8).write(to: url)
            let writer = try VideoWriter(url: url, like: VideoInfo(size: NumberedFrame.size))
            try writer.append(NumberedFrame.frame(1, at: .zero))
            #expect(try Data(contentsOf: url) == Data("old".utf8))
            #expect(FileManager.default.fileExists(atPath: writer.partialURL.path))
            try writer.finish()
            try writer.finish()
            #expect(try VideoReader(contentsOf: url).rest().map(\.number) == [1])
            #expect(!FileManager.default.fileExists(atPath: writer.partialURL.path))
        }
    }

    @Test func makesNoFileWithoutFrames() throws {
        try withTemporaryFolder { folder in
            let writer = try VideoWriter(
                url: folder.appending(path: "video.mp4"),
                like: VideoInfo(size: NumberedFrame.size)
            )
            try writer.finish()
            #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).isEmpty)
        }
    }

    @Test func refusesFramesAfterTheEnd() throws {
        try withTemporaryFolder { folder in
            let writer = try VideoWriter(
                url: folder.appending(path: "video.mp4"),
                like: VideoInfo(size: NumberedFrame.size)
            )
            try writer.append(NumberedFrame.frame(0, at: .zero))
            try writer.finish()
            #expect(throws: VideoError.self) { try writer.append(NumberedFrame.frame(1, at: .seconds(1))) }
        }
    }

    /// The file of a video that was not finished.
    private func partialVideo(in folder: URL) throws -> URL {
        let names = try FileManager.default.contentsOfDirectory(atPath: folder.path)
        return folder.appending(path: try #require(names.first { $0.hasPrefix("video.partial") }))
    }

    @Test func whatAKilledProcessLeftIsReplaced() throws {
        try withTemporaryFolder { folder in
            // A file that no living process holds, as after a kill.
            try Data("left".utf8).write(to: folder.appending(path: "video.partial.mp4"))
            let url = folder.appending(path: "video.mp4")
            for _ in 0..<2 {
                let writer = try VideoWriter(url: url, like: VideoInfo(size: NumberedFrame.size))
                try writer.append(NumberedFrame.frame(1, at: .zero))
                #expect(writer.partialURL.lastPathComponent == "video.partial.mp4")
                try writer.finish()
                #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == ["video.mp4"])
            }
        }
    }

    @Test func twoWritersOfOneNameDoNotDisturbEachOther() throws {
        try withTemporaryFolder { folder in
            let url = folder.appending(path: "video.mp4")
            let writers = try (0..<2).map { _ in try VideoWriter(url: url, like: VideoInfo(size: NumberedFrame.size)) }
            for number in 0..<10 {
                for writer in writers { try writer.append(NumberedFrame.frame(number, at: .milliseconds(40) * number)) }
            }
            for writer in writers {
                try writer.finish()
                #expect(try VideoReader(contentsOf: url).rest().map(\.number) == Array(0..<10))
            }
            #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == ["video.mp4"])
        }
    }

    @Test(arguments: [VideoWriter.Codec.automatic, .mpeg4], [(16, 15), (2, 1), (64, 45), (1, 1)])
    func keepsTheShapeOfPixels(codec: VideoWriter.Codec, aspect: (width: Int, height: Int)) throws {
        try withTemporaryFolder { folder in
            let url = folder.appending(path: "video.mp4")
            let shape = PixelSize(width: aspect.width, height: aspect.height)
            for orientation in [ImageOrientation.up, .right] {
                let info = VideoInfo(size: NumberedFrame.size, orientation: orientation, pixelAspect: shape)
                let writer = try VideoWriter(url: url, like: info, codec: codec)
                for number in 0..<3 {
                    let pixels = try NumberedFrame.pixels(number)
                    try writer.append(pixels, orientation: orientation, at: .milliseconds(40) * number)
                }
                try writer.finish()
                let found = try VideoReader(contentsOf: url).info
                #expect(found.pixelAspect == shape && found.orientation == orientation)
            }
        }
    }

    @Test func saysThatTheFolderIsMissing() throws {
        try withTemporaryFolder { folder in
            let url = folder.appending(path: "missing/video.mp4")
            let error = #expect(throws: VideoError.self) {
                try VideoWriter(url: url, like: VideoInfo(size: NumberedFrame.size))
            }
            #expect(error == .unwritable(path: url.path, reason: "the folder is missing"))
        }
    }

    @Test func leavesAPlayableFileWhenItsProcessIsKilled() async throws {
        try await withTemporaryFolder { folder in
            let url = folder.appending(path: "video.mp4")
            let probe = try await Program("VideoProbe").start(["write", url.path, "0"])
            try await probe.waitForOutput { $0.contains("frame 300") }
            #expect(try await probe.stop(SIGKILL) == .signaled(SIGKILL))
            let partial = try partialVideo(in: folder)
            #expect(!FileManager.default.fileExists(atPath: url.path))
            let video = try VideoReader(contentsOf: partial)
            var count = 0
            while try video.next() != nil { count += 1 }
            // Fragments of two seconds at most; what the encoder still held is lost.
            #expect(count >= 200)
        }
    }

    @Test func saysThatTheDiskIsFullAndLeavesAPlayableFile() async throws {
        try await withTemporaryFolder { folder in
            let url = folder.appending(path: "video.mp4")
            let result = try await Program("VideoProbe").run(["fill", url.path, "4000000"])
            let error = result.lines.first { $0.hasPrefix("error") }
            #expect(error?.contains("the disk is full") == true)
            let video = try VideoReader(contentsOf: partialVideo(in: folder))
            var count = 0
            while try video.next() != nil { count += 1 }
            #expect(count >= 50)
        }
    }
}
