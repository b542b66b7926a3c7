import Foundation
import Sightline
import SightlineMedia
import SightlineTestSupport
import Testing

/// Reading video files of all kinds.
@Suite(.hangLimit)
struct VideoReaderTests {
    struct Fixture: CustomTestStringConvertible, Sendable {
        let file: String
        let codec: String
        var hasAudio = false
        var frames = 20
        /// Where the container says other times than the frames were made with.
        var hasOddTimes = false

        var testDescription: String { file }
    }

    static let fixtures = [
        Fixture(file: "h264-aac.mp4", codec: "h264", hasAudio: true),
        Fixture(file: "h264-aac.mkv", codec: "h264", hasAudio: true),
        Fixture(file: "hevc.mp4", codec: "hevc"),
        Fixture(file: "vp9-opus.webm", codec: "vp9", hasAudio: true),
        Fixture(file: "av1.mkv", codec: "av1"),
        Fixture(file: "mjpeg-pcm.avi", codec: "mjpeg", hasAudio: true),
        // Its second frame follows the first after 0.2 s.
        Fixture(file: "mpeg4-mp3.avi", codec: "mpeg4", hasAudio: true, hasOddTimes: true),
        // A raw stream states no times.
        Fixture(file: "mjpeg.mjpeg", codec: "mjpeg", hasOddTimes: true),
        Fixture(file: "h264-422-10.mp4", codec: "h264"),
        Fixture(file: "h264-gray.mp4", codec: "h264"),
        Fixture(file: "ffv1-rgb.mkv", codec: "ffv1", frames: 4),
    ]

    @Test(arguments: fixtures) func givesEachFrameOnceInOrderWithItsTime(fixture: Fixture) throws {
        let video = try VideoReader(contentsOf: TestData.video(fixture.file))
        #expect(video.info.codec == fixture.codec)
        #expect(video.info.size == NumberedFrame.size)
        #expect(video.info.hasAudio == fixture.hasAudio)
        #expect(!video.info.isLive)
        var (count, last) = (0, Duration?.none)
        while let frame = try video.next() {
            #expect(frame.index == count)
            #expect(try NumberedFrame.number(in: frame.image) == count)
            #expect(frame.image.size == NumberedFrame.size)
            if !fixture.hasOddTimes { #expect(frame.timestamp.isClose(to: .milliseconds(100) * count)) }
            #expect(last.map { frame.timestamp > $0 } ?? (frame.timestamp == .zero))
            last = frame.timestamp
            count += 1
        }
        #expect(count == fixture.frames)
        #expect(try video.next() == nil)
        #expect(video.statistics.frames == count)
        #expect(video.statistics.damagedPackets == 0)
        #expect(video.statistics.earlyEnd == nil)
    }

    @Test func saysHowManyFramesThereAreAndHowLongItIs() throws {
        let info = try VideoReader(contentsOf: TestData.video("h264-aac.mp4")).info
        #expect(info.frameRate == 10)
        #expect(info.frameCount == 20)
        #expect(info.duration.map { $0.isClose(to: .seconds(2)) } == true)
    }

    @Test func givesTheColorsThatWereRecorded() throws {
        let video = try VideoReader(contentsOf: TestData.video("mjpeg-pcm.avi"))
        let frame = try #require(try video.next())
        // Luma 50 of the full range, Cb 110, Cr 150 by BT.601; frame 0 has no bright block.
        let pixel = try frame.image.upright().pixel(30, 20)
        #expect(abs(Int(pixel.red) - 70) <= 12 && abs(Int(pixel.green) - 29) <= 12 && abs(Int(pixel.blue) - 7) <= 12)
    }

    @Test func keepsAVariableFrameRate() throws {
        let video = try VideoReader(contentsOf: TestData.video("variable.mkv"))
        let frames = try video.rest()
        #expect(frames.map(\.number) == [0, 1, 2, 3, 9, 17, 18, 19])
        for (number, time) in frames { #expect(time.isClose(to: .milliseconds(100) * number)) }
    }

    @Test func standsUprightAsTheFileAsks() throws {
        let upright = try VideoReader(contentsOf: TestData.video("h264-422-10.mp4"))
        let turned = try VideoReader(contentsOf: TestData.video("turned.mp4"))
        #expect(turned.info.size == NumberedFrame.size.transposed)
        #expect(turned.info.orientation == .left)
        // Frame 5 has bright blocks in its upper row only, first and third.
        for _ in 0..<5 { _ = (try upright.next(), try turned.next()) }
        let (first, second) = (try #require(try upright.next()), try #require(try turned.next()))
        #expect(second.image.size == NumberedFrame.size.transposed)
        let (plain, left) = (try first.image.upright(), try second.image.upright())
        for (x, y) in [(5, 5), (20, 5), (40, 10), (60, 20), (10, 40)] {
            #expect(try left.pixel(y, 63 - x) == plain.pixel(x, y), "at \(x), \(y)")
        }
    }

    @Test(arguments: ImageOrientation.allCases) func readsTheOrientationThatWasWritten(orientation: ImageOrientation)
        throws
    {
        try withTemporaryFolder { folder in
            let url = folder.appending(path: "turned.mp4")
            let writer = try VideoWriter(url: url, like: VideoInfo(size: NumberedFrame.size))
            for number in 0..<3 {
                let pixels = try NumberedFrame.pixels(number)
                try writer.append(pixels, orientation: orientation, at: .milliseconds(40) * number)
            }
            try writer.finish()
            let video = try VideoReader(contentsOf: url)
            #expect(video.info.orientation == orientation)
            #expect(try video.next()?.image.orientation == orientation)
        }
    }

    @Test func readsAPictureAsAVideoOfOneFrame() throws {
        let video = try VideoReader(contentsOf: TestData.fixture("images/scene.png"))
        let frame = try #require(try video.next())
        #expect(frame.timestamp == .zero)
        #expect(frame.image.size == video.info.size)
        #expect(video.info.frameCount == 1)
        #expect(try video.next() == nil)
    }

    @Test func goesOnWithFramesOfAnotherSize() throws {
        // A motion JPEG file is one picture after the other.
        try withTemporaryFolder { folder in
            let url = folder.appending(path: "changing.mjpeg")
            var bytes = Data()
            let sizes = [PixelSize(width: 64, height: 48), PixelSize(width: 96, height: 80)]
            for number in 0..<8 {
                let image = VisionImage(pixels: try NumberedFrame.pixels(number, size: sizes[number / 4]))
                bytes += try image.upright().encoded(as: .jpeg)
            }
            try bytes.write(to: url)
            let video = try VideoReader(contentsOf: url)
            var found: [PixelSize] = []
            while let frame = try video.next() {
                #expect(try NumberedFrame.number(in: frame.image) == found.count)
                found.append(frame.image.size)
            }
            #expect(found == Array(repeating: sizes[0], count: 4) + Array(repeating: sizes[1], count: 4))
        }
    }

    @Test func framesOutliveTheirReader() throws {
        var frames: [VideoFrame] = []
        do {
            let video = try VideoReader(contentsOf: TestData.video("h264-aac.mp4"))
            while let frame = try video.next() { frames.append(frame) }
        }
        #expect(try frames.map { try NumberedFrame.number(in: $0.image) } == Array(0..<20))
    }

    @Test(
        .enabled(if: TestData.isAvailable, TestData.reason),
        arguments: [
            ("bottle-detection_15s.mp4", 450), ("car-detection_12s.mp4", 150),
        ]
    ) func readsRealVideos(name: String, count: Int) throws {
        let video = try VideoReader(contentsOf: TestData.real("video").appending(path: name))
        var found = 0
        while try video.next() != nil { found += 1 }
        #expect(found == count)
        #expect(video.info.frameCount == count)
    }

    @Test(.enabled(if: TestData.isAvailable, TestData.reason))
    func onlyFramesWithoutReferencesKeepTheirEdges() throws {
        let url = TestData.real("video").appending(path: "car-detection_12s.mp4")
        let smooth = try VideoReader(contentsOf: url, options: VideoReaderOptions(end: .seconds(1)))
        let fast = try VideoReader(
            contentsOf: url,
            options: VideoReaderOptions(end: .seconds(1), smoothsAllFrames: false)
        )
        var differences: [Double] = []
        while let expected = try smooth.next() {
            let frame = try #require(try fast.next())
            #expect(frame.timestamp == expected.timestamp)
            let colors = try [expected, frame].map { try $0.image.upright().planes[0].data }
            let sum = zip(colors[0], colors[1]).reduce(0) { $0 + abs(Int($1.0) - Int($1.1)) }
            differences.append(Double(sum) / Double(colors[0].count))
        }
        #expect(try fast.next() == nil)
        #expect(differences.count == 13)
        // Frames to which others refer stay the same, so that the others do not drift away from their originals.
        #expect(differences.contains(0) && differences.contains { $0 > 0 })
        #expect(differences.allSatisfy { $0 < 0.5 })
    }
}
