/// Converts luma and color differences to red, green and blue by ITU-R BT.601 or BT.709, in 1/65536.
struct YCbCrConversion {
    private let black: Int32
    private let lumaScale: Int32
    private let redFromRed: Int32
    private let greenFromBlue: Int32
    private let greenFromRed: Int32
    private let blueFromBlue: Int32

    init(_ range: PixelBuffer.YCbCrRange, _ matrix: PixelBuffer.YCbCrMatrix) {
        // With Y = Kr R + (1 − Kr − Kb) G + Kb B: R = Y + 2 (1 − Kr) Cr, B = Y + 2 (1 − Kb) Cb, and G is the rest. In
        // video luma has 219 steps of 255 and begins at 16, and differences have 224 steps.
        let (red, blue) = matrix == .bt601 ? (0.299, 0.114) : (0.2126, 0.0722)
        let green = 1 - red - blue
        let isVideo = range == .video
        let chroma = isVideo ? 255.0 / 224 : 1
        func fixed(_ value: Double) -> Int32 { Int32((value * 65536).rounded()) }
        black = isVideo ? 16 : 0
        lumaScale = fixed(isVideo ? 255.0 / 219 : 1)
        redFromRed = fixed(2 * (1 - red) * chroma)
        greenFromBlue = fixed(2 * (1 - blue) * blue / green * chroma)
        greenFromRed = fixed(2 * (1 - red) * red / green * chroma)
        blueFromBlue = fixed(2 * (1 - blue) * chroma)
    }

    // No sum exceeds 255 × 65536 × 2.5, which fits 32 bits.
    @inline(__always)
    func rgb(_ luma: UInt8, _ blue: UInt8, _ red: UInt8) -> (UInt8, UInt8, UInt8) {
        let y = (Int32(luma) &- black) &* lumaScale
        let (b, r) = (Int32(blue) &- 128, Int32(red) &- 128)
        return (
            Self.byte(y &+ redFromRed &* r),
            Self.byte(y &- greenFromBlue &* b &- greenFromRed &* r),
            Self.byte(y &+ blueFromBlue &* b)
        )
    }

    @inline(__always)
    func gray(_ luma: UInt8) -> UInt8 { Self.byte((Int32(luma) &- black) &* lumaScale) }

    @inline(__always)
    private static func byte(_ value: Int32) -> UInt8 {
        UInt8(truncatingIfNeeded: min(max((value &+ 32768) &>> 16, 0), 255))
    }
}
