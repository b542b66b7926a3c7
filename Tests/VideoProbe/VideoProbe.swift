import Foundation
import Sightline
import SightlineMedia

/// The program of tests and `Scripts/tools fuzz videos` that may crash, be killed or be short of room.
///
/// - Without arguments it reads paths of videos, one a line, from standard input. For each it answers with one line: "ok", or
///   "error" and the name of the error's case.
/// - `write PATH COUNT` writes a video of so many frames, or of endless ones for 0, and says "frame N" after each.
/// - `fill PATH BYTES` writes endless frames while files may have no more than so many bytes, and says how it ended.
@main
struct VideoProbe {
    static func main() {
        let arguments = CommandLine.arguments.dropFirst()
        do {
            switch arguments.first {
            case nil:
                while let line = readLine() {
                    say(answer(to: line))
                }
            case "write":
                try write(to: URL(filePath: arguments[2]), count: Int(arguments[3]) ?? 0)
            case "fill":
                var limit = rlimit(rlim_cur: UInt(arguments[3]) ?? 0, rlim_max: UInt(arguments[3]) ?? 0)
                signal(SIGXFSZ, SIG_IGN)
                #if canImport(Glibc)
                    setrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &limit)
                #else
                    setrlimit(RLIMIT_FSIZE, &limit)
                #endif
                try write(to: URL(filePath: arguments[2]), count: 0)
            default:
                say("unknown mode")
            }
        } catch {
            say("error \(error)")
        }
    }

    private static func say(_ line: String) {
        FileHandle.standardOutput.write(Data("\(line)\n".utf8))
    }

    // MARK: Reading

    private static func answer(to path: String) -> String {
        do throws(VideoError) {
            try look(at: URL(filePath: path))
            return "ok"
        } catch {
            return "error \(Mirror(reflecting: error).children.first?.label ?? "\(error)")"
        }
    }

    /// Reads frames, looks at some, and goes to the middle. Two million pixels are enough for what fixtures have.
    private static func look(at url: URL) throws(VideoError) {
        let video = try VideoReader(
            contentsOf: url,
            options: VideoReaderOptions(decoderThreads: 2, maximumPixels: 1 << 21)
        )
        try read(100, of: video)
        try video.seek(to: (video.info.duration ?? .seconds(2)) / 2)
        try read(10, of: video)
    }

    private static func read(_ count: Int, of video: VideoReader) throws(VideoError) {
        var last: Duration?
        for index in 0..<count {
            guard let frame = try video.next() else { return }
            if index % 8 == 0 {
                do throws(ImageError) {
                    _ = try frame.image.upright()
                } catch {
                    throw .image(error)
                }
            }
            // Times that do not rise are as bad as a crash.
            precondition(last.map { frame.timestamp > $0 } ?? true, "time went back")
            last = frame.timestamp
        }
    }

    // MARK: Writing

    private static func write(to url: URL, count: Int) throws {
        let writer = try VideoWriter(url: url, like: VideoInfo(size: PixelSize(width: 320, height: 240), frameRate: 25))
        var number = 0
        while count == 0 || number < count {
            try writer.append(noise(number), at: .milliseconds(40) * number)
            number += 1
            say("frame \(number)")
        }
        try writer.finish()
        say("finished")
    }

    /// A picture that takes some bytes to encode.
    private static func noise(_ number: Int) throws -> PixelBuffer {
        var state = UInt64(number) &+ 1
        let luma = (0..<320 * 240).map { _ -> UInt8 in
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return UInt8(truncatingIfNeeded: state >> 56)
        }
        return try PixelBuffer(
            format: .gray,
            width: 320,
            height: 240,
            planes: [PixelBuffer.Plane(data: Data(luma), bytesPerRow: 320)]
        )
    }
}
