import Foundation
import Sightline
import SightlineMedia
import SightlineTestSupport
import Testing

/// Going to another time, and reading a part.
@Suite(.hangLimit)
struct SeekingTests {
    static let files = [
        "h264-aac.mp4", "h264-aac.mkv", "hevc.mp4", "vp9-opus.webm", "av1.mkv", "mjpeg-pcm.avi", "h264-422-10.mp4",
    ]

    @Test(arguments: files) func goesToTheVeryFrame(file: String) throws {
        let video = try VideoReader(contentsOf: TestData.video(file))
        for number in [13, 0, 7, 8, 19, 3, 16, 15, 1] {
            try video.seek(to: .milliseconds(100) * number)
            let frame = try #require(try video.next())
            #expect(try NumberedFrame.number(in: frame.image) == number)
            #expect(frame.index == number)
            #expect(frame.timestamp.isClose(to: .milliseconds(100) * number))
            // The rest continues from there.
            let next = try video.next()
            #expect(try next.map { try NumberedFrame.number(in: $0.image) } == (number == 19 ? nil : number + 1))
        }
    }

    @Test func goesToTheNextFrameFromATimeBetweenTwo() throws {
        let video = try VideoReader(contentsOf: TestData.video("h264-aac.mp4"))
        try video.seek(to: .milliseconds(1210))
        #expect(try video.next().map { try NumberedFrame.number(in: $0.image) } == 13)
    }

    @Test(arguments: ["h264-aac.mp4", "mjpeg.mjpeg", "h264-aac.mkv"]) func findsNothingBeyondTheEnd(file: String) throws
    {
        let video = try VideoReader(contentsOf: TestData.video(file))
        try video.seek(to: .seconds(100))
        #expect(try video.next() == nil)
        try video.seek(to: .zero)
        #expect(try video.rest().map(\.number) == Array(0..<20))
    }

    @Test(arguments: files) func readsAPartFromATimeToBeforeAnother(file: String) throws {
        let options = VideoReaderOptions(start: .milliseconds(500), end: .milliseconds(1200))
        let video = try VideoReader(contentsOf: TestData.video(file), options: options)
        let frames = try video.rest()
        #expect(frames.map(\.number) == Array(5..<12))
        #expect(frames.first?.time.isClose(to: .milliseconds(500)) == true)
    }

    @Test func goesToTheVeryFrameInAFileOfItsOwn() throws {
        try withTemporaryFolder { folder in
            let url = folder.appending(path: "own.mp4")
            try writeVideo(to: url, frames: 60)
            let video = try VideoReader(contentsOf: url)
            for number in [59, 20, 21, 45, 0] {
                try video.seek(to: .milliseconds(100) * number)
                #expect(try video.next().map { try NumberedFrame.number(in: $0.image) } == number)
            }
        }
    }

    /// Rates with the frames that are taken. Frames are a tenth of a second apart; three in a second come from the thirds of each second.
    static let rates: [(Double, [Int])] = [
        (2, [0, 5, 10, 15]), (3, [0, 4, 7, 10, 14, 17]), (5, [0, 2, 4, 6, 8, 10, 12, 14, 16, 18]), (0.5, [0]),
        (10, Array(0..<20)), (1e9, Array(0..<20)), (0, Array(0..<20)), (-Double.infinity, Array(0..<20)),
    ]

    @Test(arguments: files, rates) func skipsFramesAboveARate(file: String, choice: (rate: Double, frames: [Int]))
        throws
    {
        let options = VideoReaderOptions(maximumFrameRate: choice.rate)
        let video = try VideoReader(contentsOf: TestData.video(file), options: options)
        let frames = try video.rest()
        #expect(frames.map(\.number) == choice.frames)
        #expect(frames.allSatisfy { $0.time.isClose(to: .milliseconds(100) * $0.number) })
        #expect(video.statistics.frames == choice.frames.count)
    }

    /// No frame refers to those that are not decoded.
    @Test(arguments: files, [0.5, 2, 3, 5]) func fewerDecodedFramesLookTheSame(file: String, rate: Double) throws {
        func pictures(_ rate: Double?) throws -> [Int: [Data]] {
            var options = VideoReaderOptions(maximumFrameRate: rate)
            options.decoderThreads = 1
            let video = try VideoReader(contentsOf: TestData.video(file), options: options)
            var pictures: [Int: [Data]] = [:]
            while let frame = try video.next() { pictures[frame.index] = try frame.image.upright().planes.map(\.data) }
            return pictures
        }
        let all = try pictures(nil)
        let few = try pictures(rate)
        #expect(all.count == 20 && few.count == Self.rates.first { $0.0 == rate }?.1.count)
        #expect(few.allSatisfy { all[$0.key] == $0.value })
    }

    @Test(arguments: ["h264-aac.mp4", "h264-aac.mkv", "hevc.mp4"])
    func framesThatNobodyNeedsAreNotDecoded(file: String) throws {
        let options = VideoReaderOptions(maximumFrameRate: 1)
        let video = try VideoReader(contentsOf: TestData.video(file), options: options)
        #expect(try video.rest().map(\.number) == [0, 10])
        #expect(video.statistics.undecodedFrames > 0)
    }

    @Test(arguments: files) func readsKeyFramesAlone(file: String) throws {
        let options = VideoReaderOptions(keyFramesOnly: true)
        let video = try VideoReader(contentsOf: TestData.video(file), options: options)
        var count = 0
        while let frame = try video.next() {
            let number = try NumberedFrame.number(in: frame.image)
            #expect(frame.index == number)
            #expect(frame.timestamp.isClose(to: .milliseconds(100) * number))
            count += 1
        }
        #expect(count >= 1 && count + video.statistics.undecodedFrames == 20)
    }

    @Test(arguments: files) func theGraphicsProcessorDecodesOrSaysWhyItDoesNot(file: String) throws {
        let video = try VideoReader(contentsOf: TestData.video(file), options: VideoReaderOptions(decoder: .vaapi))
        let failure = video.statistics.hardwareFailure
        #expect(try video.rest().map(\.number) == Array(0..<20))
        #expect(video.statistics.hardwareFrames == 0 || failure == nil)
        #expect(failure?.isEmpty != true)
    }

    /// The use of each frame in a stream whose detector runs on one of so many frames.
    private func uses(_ file: String, every count: Int, from start: Duration = .zero, decodesAll: Bool) throws
        -> [VideoFrame.Use]
    {
        var options = VideoReaderOptions(start: start)
        options.detectionInterval = count
        options.decodesAllFrames = decodesAll
        let video = try VideoReader(contentsOf: TestData.video(file), options: options)
        var uses: [VideoFrame.Use] = []
        let first = Int((start / .milliseconds(100)).rounded())
        while let frame = try video.next() {
            #expect(frame.index == first + uses.count)
            #expect(frame.timestamp.isClose(to: .milliseconds(100) * frame.index))
            let use = try #require(frame.use)
            if use != .none || decodesAll { #expect(try NumberedFrame.number(in: frame.image) == frame.index) }
            uses.append(use)
        }
        #expect(uses.count == 20 - first)
        let isSparse = !decodesAll && uses.contains(.none)
        if start == .zero { #expect((video.statistics.undecodedFrames > 0) == isSparse) }
        return uses
    }

    @Test(arguments: files, [2, 3, 4, 7]) func theDetectorGetsOneFrameOfEachPart(file: String, count: Int) throws {
        let planned = try uses(file, every: count, decodesAll: false)
        for part in stride(from: 0, to: 20, by: count) {
            #expect(planned[part..<min(part + count, 20)].count { $0 == .detection } == 1)
        }
        #expect(try uses(file, every: count, decodesAll: true) == planned)
    }

    @Test(arguments: files, [1, 4, 13]) func aPlanBeginsAnywhere(file: String, frame: Int) throws {
        let start = Duration.milliseconds(100) * frame
        let planned = try uses(file, every: 3, from: start, decodesAll: false)
        #expect(planned.prefix(3).contains(.detection))
        #expect(try uses(file, every: 3, from: start, decodesAll: true) == planned)
    }

    @Test func aPlanPrefersFramesThatOthersReferTo() throws {
        #expect(try uses("h264-aac.mp4", every: 4, decodesAll: false).contains(.none))
    }

    @Test func theRateCountsFromTheBeginningOfTheVideo() throws {
        let options = VideoReaderOptions(start: .milliseconds(300), maximumFrameRate: 2)
        let video = try VideoReader(contentsOf: TestData.video("h264-aac.mp4"), options: options)
        #expect(try video.rest().map(\.number) == [3, 5, 10, 15])
        try video.seek(to: .milliseconds(1700))
        #expect(try video.rest().map(\.number) == [17])
    }

    @Test func readsAPartOfPictures() throws {
        try withTemporaryFolder { folder in
            try writePictures(10, to: folder)
            let options = VideoReaderOptions(start: .milliseconds(300), end: .milliseconds(600))
            let video = try VideoReader(input: .pictures(folder, frameRate: 10), options: options)
            #expect(try video.rest().map(\.number) == [3, 4, 5])
        }
    }
}

/// Numbered frames as `0.jpg` and so on.
func writePictures(_ count: Int, to folder: URL, name: (Int) -> String = { "\($0).jpg" }) throws {
    for number in 0..<count {
        let image = VisionImage(pixels: try NumberedFrame.pixels(number))
        try image.upright().write(to: folder.appending(path: name(number)))
    }
}
