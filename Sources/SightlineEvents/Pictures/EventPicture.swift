import Foundation
import Sightline

/// The pictures of events, as small as a destination needs them.
enum EventPicture {
    /// The longer side of a picture in pixels.
    static let longestSide = 1280

    /// The JPEG, or a smaller one of the same picture; nil if it cannot be made small enough.
    ///
    /// Decodes and encodes a picture that is too large, which takes some ten milliseconds, so that the transport calls it on
    /// `FileExecutor`.
    ///
    /// - Parameters:
    ///   - jpeg: a JPEG.
    ///   - limit: the largest number of bytes.
    ///   - side: the longer side in pixels, or less.
    static func fitted(_ jpeg: [UInt8], bytes limit: Int, side: Int = longestSide) -> [UInt8]? {
        guard let image = try? VisionImage(data: Data(jpeg)) else { return nil }
        let longest = max(image.size.width, image.size.height)
        if jpeg.count <= limit, longest <= side { return jpeg }
        // A smaller JPEG would not state how its rows are turned.
        guard image.orientation == .up else { return nil }
        // A JPEG decodes at eighths of its size.
        for eighths in stride(from: min(max(8 * side / longest, 1), 8), through: 1, by: -1) {
            let request = DecodingRequest(region: PixelRect(image.storedSize), scale: Double(eighths) / 8)
            guard let pixels = try? image.decoded(for: request).pixels else { return nil }
            for quality in [80, 60, 40] {
                guard let smaller = try? pixels.encoded(as: .jpeg, quality: quality) else { return nil }
                if smaller.count <= limit { return Array(smaller) }
            }
        }
        return nil
    }
}
