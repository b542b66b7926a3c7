import Foundation
import Sightline
import SightlineMedia

/// A moment of a recording, as a region of the picture shows it.
struct Moment: Sendable {
    let time: Duration
    /// The region, stretched to a square as a labeler sees it, as a JPEG.
    let picture: Data
    /// The mean brightness, 0…255.
    let brightness: Double
    /// The pattern of the region: brightnesses of 16 × 16 parts in deviations from their mean, so that it depends little on the light.
    private let pattern: [Float]

    /// The pixels in a row and column of the picture, as many as the networks of labelers take.
    private static let side = 224
    /// The parts in a row and column of the pattern.
    private static let parts = 16
    /// The share of the brightness in the difference of two moments.
    private static let brightnessWeight: Float = 0.25

    /// Cuts a region out of a frame; nil if it lies outside the frame.
    ///
    /// - Throws: `ImageError` or `MediaError`.
    init?(_ region: PixelRect, of frame: VideoFrame) throws {
        guard let cut = try ObjectCrop.crop(frame.image.upright(), to: region) else { return nil }
        let square = try VisionImage(pixels: cut).upright(in: PixelSize(width: Self.side, height: Self.side))
        time = frame.timestamp
        picture = try square.encoded(as: .jpeg, quality: 92)
        (brightness, pattern) = Self.pattern(of: square)
    }

    private static func pattern(of square: PixelBuffer) -> (brightness: Double, pattern: [Float]) {
        var sums = [Float](repeating: 0, count: parts * parts)
        let (block, plane) = (side / parts, square.planes[0])
        plane.data.withUnsafeBytes { bytes in
            for row in 0..<side {
                for column in 0..<side {
                    let place = row * plane.bytesPerRow + 3 * column
                    let luma = 299 * Int(bytes[place]) + 587 * Int(bytes[place + 1]) + 114 * Int(bytes[place + 2])
                    sums[row / block * parts + column / block] += Float(luma) / 1000
                }
            }
        }
        let means = sums.map { $0 / Float(block * block) }
        let mean = means.reduce(0, +) / Float(means.count)
        let deviation = (means.reduce(0) { $0 + ($1 - mean) * ($1 - mean) } / Float(means.count)).squareRoot()
        // Noise alone has little deviation, and is to count for little.
        return (Double(mean), means.map { ($0 - mean) / (deviation + 6) })
    }

    /// The difference of two moments, from 0.
    func difference(from other: Moment) -> Float {
        let patterns = zip(pattern, other.pattern).reduce(Float(0)) { $0 + ($1.0 - $1.1) * ($1.0 - $1.1) }
        let light = Float(brightness - other.brightness) / 64
        return patterns / Float(pattern.count) + Self.brightnessWeight * light * light
    }

    /// Whether it is night in the region.
    private var isDark: Bool { brightness < StateTraining.dayBrightness }

    /// The places of the moments that differ most: each next one is as far as possible from those before.
    ///
    /// Of day and night, that with fewer chosen moments has the next one, as long as it has others. Otherwise most would be of the day,
    /// since patterns differ less in the dark.
    ///
    /// - Parameter chosen: places that were chosen before.
    static func mostDifferent(of moments: [Moment], count: Int, after chosen: [Int] = []) -> [Int] {
        var chosen = chosen
        var rest = moments.map { moment in
            chosen.map { moment.difference(from: moments[$0]) }.min() ?? .infinity
        }
        for _ in 0..<count {
            let open = rest.indices.filter { rest[$0] > 0 }
            let darkCount = chosen.count { moments[$0].isDark }
            let scarce = open.filter { moments[$0].isDark == (2 * darkCount < chosen.count) }
            let candidates = scarce.isEmpty ? open : scarce
            guard let next = candidates.max(by: { rest[$0] < rest[$1] }) else { break }
            chosen.append(next)
            for index in rest.indices { rest[index] = min(rest[index], moments[index].difference(from: moments[next])) }
        }
        return chosen
    }
}
