/// How large a picture from outside may be. Both limits are checked before memory is taken for the picture.
///
/// A file of a few kilobytes can claim, and with PNG also hold, hundreds of millions of pixels, so that a server wants a
/// limit that fits its memory: a picture that is decoded at full size takes three bytes a pixel.
public struct ImageLimits: Sendable, Hashable {
    /// Width × height at most, 200 million by default: the largest photos that phones take (16,320 × 12,240) pass.
    public var maximumPixels: Int
    /// Bytes of a file at most, 256 MiB by default.
    public var maximumBytes: Int

    /// The defaults.
    public static let standard = ImageLimits()

    /// Limits by their values.
    public init(maximumPixels: Int = 200_000_000, maximumBytes: Int = 256 << 20) {
        self.maximumPixels = maximumPixels
        self.maximumBytes = maximumBytes
    }

    func check(_ size: PixelSize) throws(ImageError) {
        let (pixels, overflow) = size.width.multipliedReportingOverflow(by: size.height)
        if overflow || pixels > maximumPixels { throw .tooLarge(size, maximumPixels: maximumPixels) }
    }

    func check(bytes: Int) throws(ImageError) {
        if bytes > maximumBytes { throw .tooManyBytes(bytes, maximumBytes: maximumBytes) }
    }
}
