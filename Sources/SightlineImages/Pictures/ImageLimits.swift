/// The limits on the size of a picture from outside. They are checked before memory is allocated for the picture.
///
/// A file of a few kilobytes can claim, and in some formats also hold, hundreds of millions of pixels. A server should set a
/// limit that fits its memory: a picture that is decoded at full size takes three bytes per pixel, and while it is decoded a HEIC, AVIF
/// or TIFF picture may take ten.
public struct ImageLimits: Sendable, Hashable {
    /// The largest product of width and height. The default, 200 million, admits the largest photos that phones take
    /// (16,320 × 12,240).
    public var maximumPixels: Int
    /// The largest number of bytes of a file. The default is 256 MiB.
    public var maximumBytes: Int

    /// The default limits.
    public static let standard = ImageLimits()

    /// Creates limits.
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
