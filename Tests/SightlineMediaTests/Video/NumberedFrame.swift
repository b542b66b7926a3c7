import Foundation
import Sightline
import SightlineMedia
import SightlineTestSupport
import Testing

/// Frames that say their own number: four by two blocks are bright or dark, the number's bits from the top left, the lowest
/// first. `Training/fixtures/videos.py` draws the same ones.
enum NumberedFrame {
    static let size = PixelSize(width: 64, height: 48)

    /// A frame as I420.
    static func pixels(_ number: Int, size: PixelSize = size, format: PixelBuffer.Format = .i420) throws -> PixelBuffer
    {
        let (width, height) = (size.width, size.height)
        var luma: [UInt8] = []
        for y in 0..<height {
            for x in 0..<width {
                let bit = x * 4 / width + (y >= height / 2 ? 4 : 0)
                luma.append(number >> bit & 1 == 1 ? 200 : 50)
            }
        }
        let (halfWidth, halfHeight) = ((width + 1) / 2, (height + 1) / 2)
        func plane(_ bytes: [UInt8], _ bytesPerRow: Int) -> PixelBuffer.Plane {
            PixelBuffer.Plane(data: Data(bytes), bytesPerRow: bytesPerRow)
        }
        let count = halfWidth * halfHeight
        let planes: [PixelBuffer.Plane] =
            switch format {
            case .i420:
                [
                    plane(luma, width), plane(Array(repeating: 110, count: count), halfWidth),
                    plane(Array(repeating: 150, count: count), halfWidth),
                ]
            case .nv12:
                [plane(luma, width), plane((0..<2 * count).map { $0 % 2 == 0 ? 110 : 150 }, 2 * halfWidth)]
            case .gray: [plane(luma, width)]
            case .rgb: [plane(luma.flatMap { [$0, $0, $0] }, 3 * width)]
            case .rgba, .bgra: [plane(luma.flatMap { [$0, $0, $0, 255] }, 4 * width)]
            }
        return try PixelBuffer(format: format, width: width, height: height, planes: planes)
    }

    /// The number that an upright picture shows.
    static func number(in image: VisionImage) throws -> Int {
        let picture = try image.upright()
        return try (0..<8).reduce(0) { number, bit in
            let x = (2 * (bit % 4) + 1) * picture.width / 8
            let y = (2 * (bit / 4) + 1) * picture.height / 4
            return number | (try picture.pixel(x, y).green > 125 ? 1 << bit : 0)
        }
    }

    /// A frame with its number, shown at a time.
    static func frame(_ number: Int, at time: Duration, size: PixelSize = size) throws -> VideoFrame {
        VideoFrame(image: VisionImage(pixels: try pixels(number, size: size)), timestamp: time, index: number)
    }
}

/// A video of this package's own.
///
/// - Parameters:
///   - times: when frames are shown.
///   - gap: the time between frames if no times are given.
@discardableResult
func writeVideo(
    to url: URL,
    frames: Int = 20,
    times: [Duration]? = nil,
    gap: Duration = .milliseconds(100),
    size: PixelSize = NumberedFrame.size,
    codec: VideoWriter.Codec = .automatic
) throws -> VideoWriter.Summary {
    let info = VideoInfo(size: size, frameRate: .seconds(1) / gap)
    let writer = try VideoWriter(url: url, like: info, codec: codec)
    for number in 0..<(times?.count ?? frames) {
        try writer.append(NumberedFrame.frame(number, at: times?[number] ?? gap * number, size: size))
    }
    try writer.finish()
    return writer.summary
}

extension VideoReader {
    /// The numbers and times of all frames that are left.
    func rest() throws -> [(number: Int, time: Duration)] {
        var found: [(number: Int, time: Duration)] = []
        while let frame = try next() { found.append((try NumberedFrame.number(in: frame.image), frame.timestamp)) }
        return found
    }
}

extension Duration {
    /// Whether two times are the same but for the rounding of a container.
    func isClose(to other: Duration) -> Bool { abs((self - other) / .milliseconds(1)) <= 1.1 }
}

extension TestData {
    static func video(_ name: String) -> URL { fixture("videos/\(name)") }
}

/// A motion JPEG file, some of whose pictures have lost their beginning.
func damagedMotionJPEG(_ isDamaged: (Int) -> Bool) throws -> Data {
    var data = try Data(contentsOf: TestData.video("mjpeg-pcm.avi"))
    var (number, from) = (0, data.startIndex)
    while let marker = data.range(of: Data([0xFF, 0xD8, 0xFF]), in: from..<data.endIndex) {
        from = marker.upperBound
        if isDamaged(number) {
            data.replaceSubrange(marker.lowerBound..<marker.lowerBound + 200, with: Data(count: 200))
        }
        number += 1
    }
    try #require(number == 20)
    return data
}
