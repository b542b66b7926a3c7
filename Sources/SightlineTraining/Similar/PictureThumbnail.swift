import Foundation
import Sightline

/// A picture in 32 × 32 brightnesses and 4 × 4 colors, from which copies of it are recognized.
///
/// The whole picture is stretched to a square, so that a copy of another size has the same thumbnail.
struct PictureThumbnail: Sendable, Hashable {
    /// The brightnesses in a row and in a column.
    static let side = 32
    /// The colors in a row and in a column.
    static let colorSide = 4
    /// One byte for each brightness, and two for each color: blue and red minus the brightness, halved, plus 128.
    static let byteCount = side * side + 2 * colorSide * colorSide
    /// Each brightness is the mean of this many pixels in a row and in a column.
    private static let block = 4

    /// The brightnesses from the top left, then the blues, then the reds.
    let bytes: [UInt8]

    /// Takes bytes of an earlier thumbnail; nil if there are not ``byteCount``.
    init?(bytes: some Collection<UInt8>) {
        guard bytes.count == Self.byteCount else { return nil }
        self.bytes = Array(bytes)
    }

    /// Decodes a picture at the smallest scale that suffices.
    init(of image: VisionImage) throws(ImageError) {
        let size = Self.side * Self.block
        let pixels = try image.upright(in: PixelSize(width: size, height: size))
        var gray = [Int](repeating: 0, count: Self.side * Self.side)
        var (blue, red) = ([Int](repeating: 0, count: 16), [Int](repeating: 0, count: 16))
        let stride = pixels.planes[0].bytesPerRow
        let colorBlock = size / Self.colorSide
        pixels.planes[0].data.withUnsafeBytes { bytes in
            for row in 0..<size {
                for column in 0..<size {
                    let place = row * stride + 3 * column
                    let (r, g, b) = (Int(bytes[place]), Int(bytes[place + 1]), Int(bytes[place + 2]))
                    // ITU-R BT.601, in thousandths.
                    let luma = 299 * r + 587 * g + 114 * b
                    gray[row / Self.block * Self.side + column / Self.block] += luma
                    let color = row / colorBlock * Self.colorSide + column / colorBlock
                    blue[color] += 1000 * b - luma
                    red[color] += 1000 * r - luma
                }
            }
        }
        let area = 1000 * Self.block * Self.block
        let colorArea = 2 * 1000 * colorBlock * colorBlock
        self.bytes =
            gray.map { UInt8(clamping: ($0 + area / 2) / area) }
            + (blue + red).map { UInt8(clamping: $0 / colorArea + 128) }
    }

    /// The brightnesses.
    var gray: [Float] { bytes.prefix(Self.side * Self.side).map(Float.init) }

    /// The colors: 16 blues and 16 reds minus the brightness, halved.
    var colors: [Float] { bytes.dropFirst(Self.side * Self.side).map { Float($0) - 128 } }

    /// The same picture with left and right exchanged.
    var mirrored: PictureThumbnail {
        var bytes = bytes
        func reverse(_ start: Int, _ side: Int) {
            for row in 0..<side {
                let range = start + row * side..<start + (row + 1) * side
                bytes.replaceSubrange(range, with: self.bytes[range].reversed())
            }
        }
        reverse(0, Self.side)
        for plane in 0..<2 {
            reverse(Self.side * Self.side + plane * Self.colorSide * Self.colorSide, Self.colorSide)
        }
        return PictureThumbnail(bytes: bytes) ?? self
    }

    /// The differences of 8 × 8 brightnesses from their mean, at most 90; nil for a picture without any pattern.
    var coarse: [Int8]? {
        let (side, block) = (8, Self.side / 8)
        var sums = [Int](repeating: 0, count: side * side)
        for row in 0..<Self.side {
            for column in 0..<Self.side {
                sums[row / block * side + column / block] += Int(bytes[row * Self.side + column])
            }
        }
        // The sums of 64 blocks, each times 64, minus the sum of all.
        let total = sums.reduce(0, +)
        let differences = sums.map { Float($0 * sums.count - total) / Float(sums.count * block * block) }
        let deviation = (differences.reduce(0) { $0 + $1 * $1 } / Float(sums.count)).squareRoot()
        guard deviation >= Self.leastDeviation else { return nil }
        return ByteVectors.rounded(differences)
    }

    /// A picture with less pattern, such as a blank page, resembles too many others.
    private static let leastDeviation: Float = 1.5
}
