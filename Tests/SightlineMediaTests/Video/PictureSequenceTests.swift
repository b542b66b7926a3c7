import Foundation
import Sightline
import SightlineMedia
import SightlineTestSupport
import Testing

/// Pictures as a video, in and out.
@Suite(.hangLimit)
struct PictureSequenceTests {
    @Test func readsAFolderInTheOrderOfTheNumbersInNames() throws {
        try withTemporaryFolder { folder in
            try writePictures(12, to: folder)
            try Data("not a picture".utf8).write(to: folder.appending(path: "readme.txt"))
            let video = try VideoReader(input: .pictures(folder, frameRate: 10))
            #expect(video.info.frameCount == 12)
            #expect(video.info.duration == .milliseconds(1200))
            #expect(video.info.codec == "jpeg")
            let frames = try video.rest()
            #expect(frames.map(\.number) == Array(0..<12))
            #expect(frames.last?.time == .milliseconds(1100))
        }
    }

    @Test func readsAPatternOverAGapAndTellsOfIt() throws {
        try withTemporaryFolder { folder in
            try writePictures(8, to: folder) { String(format: "img%04d.png", $0 + ($0 < 6 ? 995 : 1000)) }
            let input = VideoInput(folder.appending(path: "img%04d.png").path, frameRate: 5)
            let video = try VideoReader(input: input)
            let frames = try video.rest()
            #expect(frames.map(\.number) == Array(0..<8))
            // Pictures behind the gap keep their times.
            #expect(frames.map(\.time) == [0, 1, 2, 3, 4, 5, 11, 12].map { .milliseconds(200 * $0) })
            #expect(video.statistics.missingPictures == 5)
            #expect(video.statistics.firstMissingPicture == "img1001.png")
        }
    }

    @Test(arguments: ["img*.png", "img00[01]?.png", "?mg????.png"]) func readsAPatternWithWildcards(name: String) throws
    {
        try withTemporaryFolder { folder in
            try writePictures(12, to: folder) { String(format: "img%04d.png", $0) }
            try writePictures(1, to: folder) { _ in "other.png" }
            let video = try VideoReader(input: VideoInput(folder.appending(path: name).path))
            #expect(try video.rest().map(\.number) == Array(0..<12))
        }
    }

    @Test func readsAListOfPicturesInTheOrderOfTheirNumbers() throws {
        try withTemporaryFolder { folder in
            try writePictures(12, to: folder)
            let files = (0..<12).map { folder.appending(path: "\($0).jpg") }.sorted { $0.path < $1.path }
            let video = try VideoReader(input: .pictureFiles(files, frameRate: 10))
            #expect(try video.rest().map(\.number) == Array(0..<12))
        }
    }

    @Test func saysThatAPatternNamesNothing() throws {
        try withTemporaryFolder { folder in
            let path = folder.appending(path: "img%04d.png").path
            let error = #expect(throws: VideoError.self) { try VideoReader(input: VideoInput(path)) }
            #expect(error == .unreadable(input: path, reason: "no file has a name of this pattern"))
        }
    }

    /// A picture without content, with another content, and cut short behind its header.
    @Test(arguments: ["jpg", "png"], ["", "broken", nil])
    func passesOverADamagedPictureAndNamesIt(type: String, content: String?) throws {
        for damaged in [0, 2] { try passOver(type: type, damaged: damaged, content: content) }
    }

    private func passOver(type: String, damaged: Int, content: String?) throws {
        try withTemporaryFolder { folder in
            try writePictures(5, to: folder) { "\($0).\(type)" }
            let file = folder.appending(path: "\(damaged).\(type)")
            let whole = try Data(contentsOf: file)
            try (content.map { Data($0.utf8) } ?? whole.prefix(whole.count * 2 / 3)).write(to: file)
            let video = try VideoReader(input: .pictures(folder, frameRate: 10))
            let frames = try video.rest()
            #expect(frames.map(\.number) == (0..<5).filter { $0 != damaged })
            #expect(frames.map(\.time) == (0..<5).filter { $0 != damaged }.map { .milliseconds(100 * $0) })
            #expect(video.statistics.damagedPackets == 1)
            #expect(video.statistics.damagedPictures.map(\.path) == [file.path])
        }
    }

    @Test func passesOverAPictureThatIsNone() throws {
        try withTemporaryFolder { folder in
            try writePictures(5, to: folder)
            try Data("broken".utf8).write(to: folder.appending(path: "2.jpg"))
            let video = try VideoReader(input: .pictures(folder, frameRate: 10))
            let frames = try video.rest()
            #expect(frames.map(\.number) == [0, 1, 3, 4])
            #expect(frames.map(\.time) == [0, 100, 300, 400].map { .milliseconds($0) })
            #expect(video.statistics.damagedPackets == 1)
        }
    }

    @Test(arguments: [0, -1, .nan, .infinity, 1e9] as [Double]) func refusesAFrameRateThatIsNone(rate: Double) throws {
        try withTemporaryFolder { folder in
            try writePictures(1, to: folder)
            #expect(throws: VideoError.self) { try VideoReader(input: .pictures(folder, frameRate: rate)) }
        }
    }

    @Test(arguments: ["out/", "out", "frame%03d.png", "%d.jpg"]) func writesWhatReadsBack(path: String) throws {
        try withTemporaryFolder { folder in
            let output = try VideoOutput(path: folder.path + "/" + path)
            let writer = try output.writer(like: VideoInfo(size: NumberedFrame.size))
            for number in 0..<12 { try writer.append(NumberedFrame.frame(number, at: .milliseconds(40) * number)) }
            try writer.finish()
            let frames = try VideoReader(input: VideoInput(folder.path + "/" + path)).rest()
            #expect(frames.map(\.number) == Array(0..<12))
        }
    }

    @Test(arguments: ["video.avi", "%d-%d.jpg"]) func refusesOutputsThatItDoesNotKnow(path: String) {
        #expect(throws: VideoError.self) { try VideoOutput(path: "/tmp/" + path) }
    }

    @Test func tellsInputsApart() {
        #expect(VideoInput("rtsp://camera/1") == .stream(URL(string: "rtsp://camera/1") ?? URL(filePath: "/")))
        #expect(VideoInput("/dev/video0") == .camera(path: "/dev/video0"))
        #expect(VideoInput("street.mp4") == .file(URL(filePath: "street.mp4")))
        #expect(VideoInput("img%06d.jpg", frameRate: 5) == .pictures(URL(filePath: "img%06d.jpg"), frameRate: 5))
        #expect(VideoInput("100%.mp4") == .file(URL(filePath: "100%.mp4")))
    }
}
