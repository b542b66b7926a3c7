import Foundation

/// The meaning of the samples of a TIFF picture's pixels.
struct TIFFSamples {
    enum Color: Hashable {
        case gray(isInverted: Bool)
        case rgb
        case palette
        case cmyk
        /// JPEG holds it, and its decoder converts it to RGB.
        case ycbcr
    }

    enum Alpha { case none, separate, multiplied }

    let color: Color
    let bits: Int
    let samplesPerPixel: Int
    let alpha: Alpha
    let isBigEndian: Bool
    /// Red, green and blue of each index.
    let palette: [UInt8]

    /// Samples per pixel at most; pictures of satellites have more.
    private static let most = 5

    init(_ directory: TIFFDirectory) throws(ImageError) {
        isBigEndian = directory.isBigEndian
        let compression = directory.number(.compression) ?? 1
        let isJPEG = compression == 7
        let count = directory.number(.samplesPerPixel) ?? 1
        let kind = directory.number(.photometric) ?? 1
        let colorCount: Int
        switch (kind, count) {
        case (0, 1...): (color, colorCount) = (.gray(isInverted: true), 1)
        case (1, 1...): (color, colorCount) = (.gray(isInverted: false), 1)
        case (2, 3...): (color, colorCount) = (.rgb, 3)
        case (3, 1...): (color, colorCount) = (.palette, 1)
        case (5, 4...): (color, colorCount) = (.cmyk, 4)
        case (6, 3) where isJPEG: (color, colorCount) = (.ycbcr, 3)
        default:
            throw .rareTIFF("photometric interpretation \(kind) with \(count) samples per pixel")
        }
        guard count <= Self.most, !isJPEG || count == colorCount else { throw .rareTIFF("\(count) samples per pixel") }
        samplesPerPixel = count
        let bits = directory.number(.bitsPerSample) ?? 1
        self.bits = bits
        for index in 0..<min(directory.count(.bitsPerSample), count)
        where directory.number(.bitsPerSample, index) != bits {
            throw .rareTIFF("samples of different depths")
        }
        guard [1, 2, 4, 8, 16].contains(bits), color != .palette || bits <= 8, !isJPEG || bits == 8 else {
            throw .rareTIFF("\(bits) bits per sample")
        }
        if let format = directory.number(.sampleFormat), format != 1, format != 4 {
            throw .rareTIFF("samples that are not unsigned integers")
        }
        switch count > colorCount ? directory.number(.extraSamples) : nil {
        case 1: alpha = .multiplied
        case 2: alpha = .separate
        default: alpha = .none
        }
        palette = color == .palette ? try Self.palette(directory, 1 << bits) : []
    }

    /// The color map has all reds, then all greens, then all blues, with 16 bits each. Some writers fill in 8 bits; then no value needs
    /// more (as libtiff decides).
    private static func palette(_ directory: TIFFDirectory, _ count: Int) throws(ImageError) -> [UInt8] {
        guard directory.count(.colorMap) >= 3 * count else {
            throw .corrupted(format: "TIFF", reason: "its color map is too small")
        }
        let has8Bits = !(0..<3 * count).contains { (directory.number(.colorMap, $0) ?? 0) > 255 }
        var colors: [UInt8] = []
        for index in 0..<count {
            for channel in 0..<3 {
                guard let value = directory.number(.colorMap, channel * count + index) else { throw .cutShort("TIFF") }
                colors.append(UInt8(truncatingIfNeeded: has8Bits ? value : value >> 8))
            }
        }
        return colors
    }

    /// Whether the decoded picture has one channel.
    var isGray: Bool { if case .gray = color { alpha == .none } else { false } }
}

extension ImageError {
    static func rareTIFF(_ kind: String) -> ImageError { .unsupportedFormat(found: "a TIFF of a rare kind (\(kind))") }
}
