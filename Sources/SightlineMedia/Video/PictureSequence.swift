import Foundation
import Sightline

/// Pictures that are read as a video, one file after another. A picture is decoded when its turn comes.
///
/// A picture that cannot be decoded is skipped, counted and named; later pictures keep their times. So do pictures behind a gap in
/// the numbers of a pattern.
final class PictureSequence: VideoFrameSource {
    let info: VideoInfo
    private let pictures: [Picture]
    private let frameRate: Double
    private let limits: ImageLimits
    private let counters: VideoCounters
    private var selection: FrameSelection
    /// The index of the next picture in `pictures`.
    private var position = 0

    private struct Picture {
        let url: URL
        /// The place in the sequence, from 0.
        let index: Int
    }

    /// The largest number of damaged pictures that are named.
    private static let mostNamedPictures = 10

    /// The pictures of a folder or a pattern.
    convenience init(
        _ url: URL,
        frameRate: Double,
        options: VideoReaderOptions,
        counters: VideoCounters
    ) throws(VideoError) {
        let path = url.path(percentEncoded: false)
        let (name, folder) = (url.lastPathComponent, url.deletingLastPathComponent())
        var isFolder: ObjCBool = false
        let pictures: [Picture]
        if FileManager.default.fileExists(atPath: path, isDirectory: &isFolder), isFolder.boolValue {
            pictures = Self.listed(try PictureNames.inFolder(url))
        } else if let pattern = PicturePattern(name) {
            pictures = try Self.numbered(pattern, in: folder)
            Self.countMissing(pictures, pattern, counters)
        } else if PictureNames.isWildcard(name) {
            pictures = Self.listed(try PictureNames.inFolder(folder).filter { PictureNames.matches($0, name) })
        } else {
            throw .unreadable(
                input: path,
                reason: "it is neither a folder nor a pattern such as img%06d.jpg or '*.jpg'"
            )
        }
        if pictures.isEmpty, !isFolder.boolValue {
            throw .unreadable(input: path, reason: "no file has a name of this pattern")
        }
        try self.init(pictures, name: path, frameRate: frameRate, options: options, counters: counters)
    }

    /// Pictures in the order of their names.
    convenience init(
        files urls: [URL],
        frameRate: Double = 25,
        options: VideoReaderOptions,
        counters: VideoCounters
    ) throws(VideoError) {
        let name = urls.first?.path(percentEncoded: false) ?? ""
        let pictures = Self.listed(PictureNames.sorted(urls))
        try self.init(pictures, name: name, frameRate: frameRate, options: options, counters: counters)
    }

    private init(
        _ pictures: [Picture],
        name: String,
        frameRate: Double,
        options: VideoReaderOptions,
        counters: VideoCounters
    ) throws(VideoError) {
        guard frameRate.isFinite, frameRate >= 0.001, frameRate <= 1000 else {
            throw .unreadable(
                input: name,
                reason: "the frame rate is \(frameRate), expected 0.001 to 1,000 a second"
            )
        }
        let limits = ImageLimits(maximumPixels: options.maximumPixels)
        var (damaged, first, type) = (0, VisionImage?.none, "")
        var problem: VideoError?
        for picture in pictures where first == nil {
            do throws(ImageError) {
                first = try Self.image(picture.url, limits)
                type = picture.url.pathExtension.lowercased()
            } catch {
                damaged += 1
                problem = problem ?? .picture(path: picture.url.path(percentEncoded: false), error)
            }
        }
        guard let first else {
            if let problem, damaged == 1 { throw problem }
            throw .noFrames(input: name, damagedPackets: damaged)
        }
        self.pictures = pictures
        self.frameRate = frameRate
        self.limits = limits
        selection = FrameSelection(maximumRate: options.maximumFrameRate)
        self.counters = counters
        info = VideoInfo(
            size: first.size,
            frameRate: frameRate,
            duration: Self.time(of: (pictures.last?.index ?? 0) + 1, frameRate: frameRate),
            frameCount: pictures.count,
            codec: ImageFormat(fileExtension: type)?.name.lowercased() ?? type
        )
    }

    private static func listed(_ urls: [URL]) -> [Picture] {
        urls.enumerated().map { Picture(url: $1, index: $0) }
    }

    /// The files of a pattern in the order of their numbers, placed by their distance from the smallest number.
    private static func numbered(_ pattern: PicturePattern, in folder: URL) throws(VideoError) -> [Picture] {
        let path = folder.path(percentEncoded: false)
        guard let names = try? FileManager.default.contentsOfDirectory(atPath: path) else {
            throw .unreadable(input: path, reason: "the folder cannot be listed")
        }
        let numbers = names.compactMap { pattern.number(in: $0) }.sorted()
        return numbers.map { number in
            // Numbers of names are not negative.
            Picture(url: folder.appending(path: pattern.name(number)), index: number - (numbers.first ?? 0))
        }
    }

    private static func countMissing(_ pictures: [Picture], _ pattern: PicturePattern, _ counters: VideoCounters) {
        guard let first = pictures.first, let last = pictures.last,
            let gap = zip(pictures, pictures.dropFirst()).first(where: { $1.index > $0.index + 1 })?.0,
            let number = pattern.number(in: gap.url.lastPathComponent)
        else { return }
        counters.update {
            $0.missingPictures = last.index - first.index + 1 - pictures.count
            $0.firstMissingPicture = pattern.name(number + 1)
        }
    }

    /// The pixels of a picture. A picture whose pixels are damaged shows this only when it is decoded.
    private static func image(_ url: URL, _ limits: ImageLimits) throws(ImageError) -> VisionImage {
        VisionImage(pixels: try VisionImage(contentsOf: url, limits: limits).upright())
    }

    /// To the nanosecond.
    private static func time(of index: Int, frameRate: Double) -> Duration {
        .nanoseconds(Int(clampingRounded: Double(index) / frameRate * 1e9))
    }

    func next() throws(VideoError) -> VideoFrame? {
        while pictures.indices.contains(position) {
            let picture = pictures[position]
            position += 1
            let time = Self.time(of: picture.index, frameRate: frameRate)
            guard selection.takes(time) else { continue }
            do throws(ImageError) {
                let image = try Self.image(picture.url, limits)
                selection.take(time)
                return VideoFrame(image: image, timestamp: time, index: picture.index)
            } catch {
                counters.update {
                    $0.damagedPackets += 1
                    guard $0.damagedPictures.count < Self.mostNamedPictures else { return }
                    $0.damagedPictures.append(
                        VideoReadingStatistics.DamagedPicture(
                            path: picture.url.path(percentEncoded: false),
                            error: error
                        )
                    )
                }
            }
        }
        return nil
    }

    func seek(to time: Duration) throws(VideoError) {
        selection.reset()
        let place = ((time - .microseconds(500)) / .seconds(1) * frameRate).rounded(.up)
        let index = Int(clampingRounded: place)
        position = pictures.firstIndex { $0.index >= index } ?? pictures.count
    }
}
