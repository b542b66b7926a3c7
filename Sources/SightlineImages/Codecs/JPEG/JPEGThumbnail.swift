/// A JPEG at an eighth of its width and height, computed from the mean of each 8 × 8 block alone.
///
/// The first (DC) coefficient of a block is eight times its mean, so an eighth of the picture needs no other coefficient. The
/// decoder only steps over the other 63: for the next 12 bits, a table holds the length of several coefficients at once, and
/// four parts of the file are read in turns. A progressive picture has its DC coefficients in its first scan, and the decoder
/// does not read the other scans. It is about 2.5 times as fast as libjpeg-turbo at the same scale on a photo of 12
/// megapixels, and more than ten times as fast on a progressive photo.
///
/// It reads 8-bit Huffman-coded pictures: baseline, extended or progressive, gray or YCbCr, chroma at full or half resolution
/// (ITU-T T.81). libjpeg reads all other pictures and those that look damaged: `decode` returns nil for them, never an error.
struct JPEGThumbnail {
    /// ⌈picture width / 8⌉
    let width: Int
    /// ⌈picture height / 8⌉
    let height: Int
    /// 1 for a gray picture, 3 for RGB.
    let channels: Int
    /// Rows from the top, without padding.
    let pixels: [UInt8]

    /// Decodes a picture; nil if libjpeg should read it.
    static func decode(_ bytes: UnsafeRawBufferPointer) -> JPEGThumbnail? {
        guard let header = JPEGHeader(bytes), let planes = JPEGBlockMeans.decode(bytes, header) else { return nil }
        let size = PixelSize(width: (header.width + 7) / 8, height: (header.height + 7) / 8)
        let pixels: [UInt8]
        switch planes.count {
        case 1: pixels = cropped(planes[0], to: size)
        case 3: pixels = rgb(planes, size: size)
        default: return nil
        }
        return JPEGThumbnail(width: size.width, height: size.height, channels: planes.count, pixels: pixels)
    }

    private static func cropped(_ plane: JPEGBlockMeans.Plane, to size: PixelSize) -> [UInt8] {
        var pixels: [UInt8] = []
        pixels.reserveCapacity(size.width * size.height)
        for row in 0..<size.height {
            pixels += plane.samples[row * plane.width..<row * plane.width + size.width]
        }
        return pixels
    }

    /// Converts YCbCr to RGB (JFIF 1.02). Chroma of half resolution is interpolated linearly.
    private static func rgb(_ planes: [JPEGBlockMeans.Plane], size: PixelSize) -> [UInt8] {
        let (luma, blue, red) = (planes[0], planes[1], planes[2])
        var blueRow = [Int32](repeating: 0, count: luma.width)
        var redRow = blueRow
        return [UInt8](unsafeUninitializedCapacity: size.width * size.height * 3) { pixels, count in
            for row in 0..<size.height {
                blue.upsample(row: row, of: luma, into: &blueRow)
                red.upsample(row: row, of: luma, into: &redRow)
                let start = row * size.width * 3
                let output = UnsafeMutableBufferPointer(rebasing: pixels[start..<start + size.width * 3])
                let brightness = luma.samples[row * luma.width..<row * luma.width + size.width]
                convert(brightness, blueRow, redRow, into: output)
            }
            count = size.width * size.height * 3
        }
    }

    /// Converts a row. Chroma is in sixteenths; the factors are those of JFIF in 1/65536.
    private static func convert(
        _ luma: ArraySlice<UInt8>,
        _ blue: [Int32],
        _ red: [Int32],
        into output: UnsafeMutableBufferPointer<UInt8>
    ) {
        var at = 0
        for ((brightness, blue), red) in zip(zip(luma, blue), red) {
            let y = Int32(brightness) &<< 16 &+ 32768
            let (b, r) = (blue &- 128 &* 16, red &- 128 &* 16)
            output[at] = clamped((y &+ 5743 &* r) &>> 16)
            output[at &+ 1] = clamped((y &- 1410 &* b &- 2925 &* r) &>> 16)
            output[at &+ 2] = clamped((y &+ 7258 &* b) &>> 16)
            at &+= 3
        }
    }

    @inline(__always) private static func clamped(_ value: Int32) -> UInt8 {
        UInt8(truncatingIfNeeded: min(max(value, 0), 255))
    }
}

extension JPEGBlockMeans.Plane {
    /// Interpolates a row at the luma plane's resolution, in sixteenths.
    ///
    /// Where this plane has half the luma's resolution, a sample lies between two luma samples, so the nearer of its
    /// neighbors counts three quarters and the farther one quarter, in each direction.
    fileprivate func upsample(row: Int, of luma: JPEGBlockMeans.Plane, into output: inout [Int32]) {
        let isHalfHigh = height < luma.height
        let near = isHalfHigh ? row / 2 : row
        let far = isHalfHigh ? min(max(row % 2 == 0 ? near - 1 : near + 1, 0), height - 1) : near
        let (nearRow, farRow) = (samples[near * width..<(near + 1) * width], samples[far * width..<(far + 1) * width])
        let mixed = zip(nearRow, farRow).lazy.map { 3 &* Int32($0) &+ Int32($1) }
        guard width < luma.width else {
            for (column, value) in mixed.enumerated() { output[column] = 4 &* value }
            return
        }
        var iterator = mixed.makeIterator()
        var middle = iterator.next() ?? 0
        var left = middle
        for column in 0..<width {
            let right = iterator.next() ?? middle
            output[2 &* column] = 3 &* middle &+ left
            output[2 &* column &+ 1] = 3 &* middle &+ right
            (left, middle) = (middle, right)
        }
    }
}
