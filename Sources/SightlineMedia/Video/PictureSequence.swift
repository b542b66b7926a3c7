import Foundation
import Sightline

/// Pictures that are read as a video, one file after another. Each picture is decoded when its pixels are used.
///
/// A picture that cannot be read is skipped and counted; later pictures keep their times.
final class PictureSequence: VideoFrameSource {
    let info: VideoInfo
    private let name: String
    private let pictures: Pictures
    private let frameRate: Double
    private let limits: ImageLimits
    private let counters: VideoCounters
    private var nextIndex = 0

    private enum Pictures {
        case listed([URL])
        case numbered(PicturePattern, folder: URL, first: Int)

        /// The picture at an index; nil at the end.
        func picture(_ index: Int) -> URL? {
            switch self {
            case .listed(let urls):
                return urls.indices.contains(index) ? urls[index] : nil
            case .numbered(let pattern, let folder, let first):
                let (number, overflow) = first.addingReportingOverflow(index)
                guard !overflow else { return nil }
                let url = folder.appending(path: pattern.name(number))
                return FileManager.default.fileExists(atPath: url.path(percentEncoded: false)) ? url : nil
            }
        }

        var count: Int? { if case .listed(let urls) = self { urls.count } else { nil } }
    }

    /// The pictures of a folder or a pattern.
    convenience init(
        _ url: URL,
        frameRate: Double,
        options: VideoReaderOptions,
        counters: VideoCounters
    ) throws(VideoError) {
        let path = url.path(percentEncoded: false)
        var isFolder: ObjCBool = false
        let pictures: Pictures
        if FileManager.default.fileExists(atPath: path, isDirectory: &isFolder), isFolder.boolValue {
            pictures = .listed(try PictureNames.inFolder(url))
        } else if let pattern = PicturePattern(url.lastPathComponent) {
            let folder = url.deletingLastPathComponent()
            guard let names = try? FileManager.default.contentsOfDirectory(atPath: folder.path(percentEncoded: false))
            else { throw .unreadable(input: path, reason: "its folder cannot be listed") }
            guard let first = names.lazy.compactMap({ pattern.number(in: $0) }).min() else {
                throw .unreadable(input: path, reason: "no file has a name of this pattern")
            }
            pictures = .numbered(pattern, folder: folder, first: first)
        } else {
            throw .unreadable(input: path, reason: "it is neither a folder nor a pattern such as img%06d.jpg")
        }
        try self.init(pictures, name: path, frameRate: frameRate, options: options, counters: counters)
    }

    /// A single picture.
    convenience init(file url: URL, options: VideoReaderOptions, counters: VideoCounters) throws(VideoError) {
        let name = url.path(percentEncoded: false)
        try self.init(.listed([url]), name: name, frameRate: 25, options: options, counters: counters)
    }

    private init(
        _ pictures: Pictures,
        name: String,
        frameRate: Double,
        options: VideoReaderOptions,
        counters: VideoCounters
    ) throws(VideoError) {
        guard frameRate.isFinite, frameRate >= 0.001, frameRate <= 1000 else {
            throw .unreadable(input: name, reason: "\(frameRate) is no frame rate, expected 0.001 to 1,000 a second")
        }
        let limits = ImageLimits(maximumPixels: options.maximumPixels)
        var (index, damaged, first) = (0, 0, VisionImage?.none)
        var problem: VideoError?
        while first == nil, let url = pictures.picture(index) {
            do throws(ImageError) {
                first = try VisionImage(contentsOf: url, limits: limits)
            } catch {
                damaged += 1
                problem = problem ?? .picture(path: url.path(percentEncoded: false), error)
            }
            index += 1
        }
        guard let first else {
            if let problem, damaged == 1 { throw problem }
            throw .noFrames(input: name, damagedPackets: damaged)
        }
        self.pictures = pictures
        self.name = name
        self.frameRate = frameRate
        self.limits = limits
        self.counters = counters
        let type = pictures.picture(index - 1)?.pathExtension.lowercased() ?? ""
        info = VideoInfo(
            size: first.size,
            frameRate: frameRate,
            duration: pictures.count.map { Self.time(of: $0, frameRate: frameRate) },
            frameCount: pictures.count,
            codec: ImageFormat(fileExtension: type)?.name.lowercased() ?? type
        )
    }

    /// To the nanosecond.
    private static func time(of index: Int, frameRate: Double) -> Duration {
        .nanoseconds(Int(clampingRounded: Double(index) / frameRate * 1e9))
    }

    func next() throws(VideoError) -> VideoFrame? {
        while let url = pictures.picture(nextIndex) {
            let index = nextIndex
            nextIndex += 1
            do throws(ImageError) {
                let image = try VisionImage(contentsOf: url, limits: limits)
                return VideoFrame(image: image, timestamp: Self.time(of: index, frameRate: frameRate), index: index)
            } catch {
                counters.update { $0.damagedPackets += 1 }
            }
        }
        return nil
    }

    func seek(to time: Duration) throws(VideoError) {
        let place = ((time - .microseconds(500)) / .seconds(1) * frameRate).rounded(.up)
        nextIndex = max(Int(clampingRounded: place), 0)
    }
}
