/// A JPEG at M/8 of its width and height, with M of 1 or 2, computed from the lowest frequencies of each 8 × 8 block alone.
///
/// The first (DC) coefficient of a block is eight times its mean, so an eighth of the picture needs no other coefficient. The
/// decoder only steps over the other 63: for the next 12 bits, a table holds the length of several coefficients at once, and
/// four parts of the file are read in turns. 2/8 needs the first five coefficients, which are read once the beginnings of
/// the blocks are known. A progressive picture has its DC coefficients in its first scan, and the decoder does not read the other
/// scans. It is about 2.5 times as fast as libjpeg-turbo at an eighth of a photo of 12 megapixels, and more than ten times as
/// fast on a progressive photo.
///
/// It reads 8-bit Huffman-coded pictures: baseline, extended or progressive (at an eighth), gray or YCbCr, chroma at full or half
/// resolution (ITU-T T.81). libjpeg reads all other pictures and those that look damaged: `decode` returns nil for them, never an
/// error.
///
/// Unsafe code converts colors. It is sound: rows of chroma have room for a row of luma, which is at least as wide as the picture.
struct JPEGThumbnail {
    /// The scales at which a picture is read.
    static let eighths = 1...2

    /// ⌈M × picture width / 8⌉
    let width: Int
    /// ⌈M × picture height / 8⌉
    let height: Int
    /// 1 for a gray picture, 3 for RGB.
    let channels: Int
    /// Rows from the top, without padding.
    let pixels: [UInt8]

    /// Decodes a picture; nil if libjpeg should read it.
    ///
    /// - Parameter eighths: M, within ``eighths``.
    static func decode(_ bytes: UnsafeRawBufferPointer, eighths: Int) -> JPEGThumbnail? {
        guard Self.eighths.contains(eighths), let header = JPEGHeader(bytes),
            let planes = JPEGPlanes.decode(bytes, header, side: eighths)
        else { return nil }
        let size = PixelSize(width: (header.width * eighths + 7) / 8, height: (header.height * eighths + 7) / 8)
        let pixels: [UInt8]
        switch planes.count {
        case 1: pixels = cropped(planes[0], to: size)
        case 3: pixels = rgb(planes, size: size)
        default: return nil
        }
        return JPEGThumbnail(width: size.width, height: size.height, channels: planes.count, pixels: pixels)
    }

    private static func cropped(_ plane: JPEGPlanes.Plane, to size: PixelSize) -> [UInt8] {
        var pixels: [UInt8] = []
        pixels.reserveCapacity(size.width * size.height)
        for row in 0..<size.height {
            pixels += plane.samples[row * plane.width..<row * plane.width + size.width]
        }
        return pixels
    }

    /// Converts YCbCr to RGB (JFIF 1.02). Chroma of half resolution is interpolated linearly.
    private static func rgb(_ planes: [JPEGPlanes.Plane], size: PixelSize) -> [UInt8] {
        let (luma, blue, red) = (planes[0], planes[1], planes[2])
        var blueRow = [Int32](repeating: 0, count: luma.width)
        var redRow = blueRow
        var mixedRow = blueRow
        return [UInt8](unsafeUninitializedCapacity: size.width * size.height * 3) { pixels, count in
            for row in 0..<size.height {
                blue.upsample(row: row, of: luma, by: &mixedRow, into: &blueRow)
                red.upsample(row: row, of: luma, by: &mixedRow, into: &redRow)
                let start = row * size.width * 3
                let output = UnsafeMutableBufferPointer(rebasing: pixels[start..<start + size.width * 3])
                luma.samples.withUnsafeBufferPointer { samples in
                    let brightness = UnsafeBufferPointer(rebasing: samples[(row * luma.width)...])
                    convert(brightness, blueRow, redRow, into: output)
                }
            }
            count = size.width * size.height * 3
        }
    }

    /// Converts a row. Chroma is in sixteenths; the factors are those of JFIF in 1/65536.
    private static func convert(
        _ luma: UnsafeBufferPointer<UInt8>,
        _ blue: UnsafePointer<Int32>,
        _ red: UnsafePointer<Int32>,
        into output: UnsafeMutableBufferPointer<UInt8>
    ) {
        let count = output.count / 3
        guard let output = output.baseAddress, let luma = luma.baseAddress else { return }
        for column in 0..<count {
            let y = Int32(luma[column]) &<< 16 &+ 32768
            let (b, r) = (blue[column] &- 128 &* 16, red[column] &- 128 &* 16)
            output[3 &* column] = clamped((y &+ 5743 &* r) &>> 16)
            output[3 &* column &+ 1] = clamped((y &- 1410 &* b &- 2925 &* r) &>> 16)
            output[3 &* column &+ 2] = clamped((y &+ 7258 &* b) &>> 16)
        }
    }

    @inline(__always) private static func clamped(_ value: Int32) -> UInt8 {
        UInt8(truncatingIfNeeded: min(max(value, 0), 255))
    }
}

extension JPEGPlanes.Plane {
    /// Interpolates a row at the luma plane's resolution, in sixteenths.
    ///
    /// Where this plane has half the luma's resolution, a sample lies between two luma samples, so the nearer of its
    /// neighbors counts three quarters and the farther one quarter, in each direction.
    ///
    /// - Parameter mixed: Room for a row.
    fileprivate func upsample(
        row: Int,
        of luma: JPEGPlanes.Plane,
        by mixed: UnsafeMutablePointer<Int32>,
        into output: UnsafeMutablePointer<Int32>
    ) {
        let isHalfHigh = height < luma.height
        let near = isHalfHigh ? row / 2 : row
        let far = isHalfHigh ? min(max(row % 2 == 0 ? near - 1 : near + 1, 0), height - 1) : near
        samples.withUnsafeBufferPointer { samples in
            guard let samples = samples.baseAddress else { return }
            let (near, far) = (samples + near * width, samples + far * width)
            for column in 0..<width { mixed[column] = 3 &* Int32(near[column]) &+ Int32(far[column]) }
        }
        guard width < luma.width else {
            for column in 0..<width { output[column] = 4 &* mixed[column] }
            return
        }
        let last = width - 1
        output[0] = 4 &* mixed[0]
        for column in 0..<last {
            output[2 &* column &+ 1] = 3 &* mixed[column] &+ mixed[column &+ 1]
            output[2 &* column &+ 2] = 3 &* mixed[column &+ 1] &+ mixed[column]
        }
        output[2 * last + 1] = 4 &* mixed[last]
    }
}
