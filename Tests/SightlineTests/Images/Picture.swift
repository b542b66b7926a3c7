import Foundation
import Sightline
import SightlineTestSupport

/// Upright RGB pixels without padding.
struct Picture: Equatable {
    var size: PixelSize
    var bytes: [UInt8]

    init(size: PixelSize, bytes: [UInt8]) {
        self.size = size
        self.bytes = bytes
    }

    init(_ image: VisionImage) throws {
        self.init(try image.upright())
    }

    /// The pixels of an RGB or gray buffer.
    init(_ buffer: PixelBuffer) {
        let row = buffer.width * (buffer.format == .gray ? 1 : 3)
        let plane = buffer.planes[0]
        var bytes: [UInt8] = []
        for y in 0..<buffer.height {
            let start = plane.data.startIndex + y * plane.bytesPerRow
            let values = plane.data[start..<(start + row)]
            bytes += buffer.format == .gray ? values.flatMap { [$0, $0, $0] } : Array(values)
        }
        self.init(size: buffer.size, bytes: bytes)
    }

    init(fixture name: String) throws {
        try self.init(VisionImage(contentsOf: TestData.fixture("images/\(name)")))
    }

    func pixel(_ x: Int, _ y: Int) -> [UInt8] {
        Array(bytes[((y * size.width + x) * 3)..<((y * size.width + x) * 3 + 3)])
    }

    func cropped(left: Int, top: Int, width: Int, height: Int) -> Picture {
        var rows: [UInt8] = []
        for y in top..<(top + height) {
            let start = (y * size.width + left) * 3
            rows += bytes[start..<(start + width * 3)]
        }
        return Picture(size: PixelSize(width: width, height: height), bytes: rows)
    }

    /// The greatest and the mean distance of the values of two pictures of one size.
    func distance(to other: Picture) -> (greatest: Int, mean: Double) {
        guard size == other.size, bytes.count == other.bytes.count else { return (256, 256) }
        let distances = zip(bytes, other.bytes).map { abs(Int($0) - Int($1)) }
        return (distances.max() ?? 0, Double(distances.reduce(0, +)) / Double(max(distances.count, 1)))
    }
}

extension VisionImage {
    init(fixture name: String, orientation: ImageOrientation? = nil) throws {
        try self.init(contentsOf: TestData.fixture("images/\(name)"), orientation: orientation)
    }
}
