import Sightline

/// The sum of the ink of some pixels, with colors multiplied by alpha.
struct InkSum {
    var alpha: UInt32
    var red: UInt32
    var green: UInt32
    var blue: UInt32

    @inline(__always)
    init(_ value: UInt32) {
        (alpha, red, green, blue) = (value &>> 24, (value &>> 16) & 255, (value &>> 8) & 255, value & 255)
    }

    @inline(__always)
    static func + (first: InkSum, second: InkSum) -> InkSum {
        var sum = first
        sum.alpha &+= second.alpha
        sum.red &+= second.red
        sum.green &+= second.green
        sum.blue &+= second.blue
        return sum
    }
}

/// Converts ink to luma and color differences, multiplied by alpha. Factors are in units of 1/65536.
struct InkConversion {
    private let black: Int32
    private let luma: (Int32, Int32, Int32)
    private let blueDifference: (Int32, Int32, Int32)
    private let redDifference: (Int32, Int32, Int32)

    /// Creates the inverse of `YCbCrConversion` (ITU-R BT.601 or BT.709).
    init(_ range: PixelBuffer.YCbCrRange, _ matrix: PixelBuffer.YCbCrMatrix) {
        let (red, blue) = matrix == .bt601 ? (0.299, 0.114) : (0.2126, 0.0722)
        let green = 1 - red - blue
        let isVideo = range == .video
        let scale = isVideo ? 219.0 / 255 : 1
        let chroma = (isVideo ? 224.0 / 255 : 1) / 2
        func fixed(_ first: Double, _ second: Double, _ third: Double) -> (Int32, Int32, Int32) {
            (Int32((first * 65536).rounded()), Int32((second * 65536).rounded()), Int32((third * 65536).rounded()))
        }
        black = Int32((isVideo ? 16.0 / 255 : 0) * 65536)
        luma = fixed(red * scale, green * scale, blue * scale)
        blueDifference = fixed(-red / (1 - blue) * chroma, -green / (1 - blue) * chroma, chroma)
        redDifference = fixed(chroma, -green / (1 - red) * chroma, -blue / (1 - red) * chroma)
    }

    /// 128 / 255.
    private static let middle: Int32 = 32897

    // No sum exceeds 4 × 255 × 65536 × 1.5, which fits 32 bits.
    @inline(__always)
    func luma(_ ink: InkSum, _ count: Int32) -> UInt32 { Self.value(ink, luma, black, count) }

    @inline(__always)
    func blueDifference(_ ink: InkSum, _ count: Int32) -> UInt32 { Self.value(ink, blueDifference, Self.middle, count) }

    @inline(__always)
    func redDifference(_ ink: InkSum, _ count: Int32) -> UInt32 { Self.value(ink, redDifference, Self.middle, count) }

    @inline(__always)
    private static func value(_ ink: InkSum, _ factors: (Int32, Int32, Int32), _ base: Int32, _ count: Int32) -> UInt32
    {
        let colors =
            Int32(truncatingIfNeeded: ink.red) &* factors.0 &+ Int32(truncatingIfNeeded: ink.green) &* factors.1
            &+ Int32(truncatingIfNeeded: ink.blue) &* factors.2
        let sum = colors &+ Int32(truncatingIfNeeded: ink.alpha) &* base
        let half: Int32 = 32768
        return UInt32(truncatingIfNeeded: min(max((sum / count &+ half) &>> 16, 0), 255))
    }
}
