/// The decompressed samples of a strip or tile.
struct TIFFChunk {
    /// A plane with all samples of each pixel, or a plane for each sample.
    private let planes: [[UInt8]]
    private let samples: TIFFSamples
    /// Samples of a pixel in a plane.
    private let perPixel: Int
    private let rowBytes: Int
    /// Whether the samples are RGB already, as JPEG's decoder returns inks.
    private let isConverted: Bool
    /// Whether the samples are the bytes of the decoded picture.
    private let isPlain: Bool

    init(planes: [[UInt8]], width: Int, samples: TIFFSamples, isPlanar: Bool, isJPEG: Bool) {
        self.planes = planes
        self.samples = samples
        isConverted = isJPEG && !isPlanar && samples.color == .cmyk
        perPixel = isPlanar ? 1 : isConverted ? 3 : samples.samplesPerPixel
        let colors: [TIFFSamples.Color: Int] = [.gray(isInverted: false): 1, .rgb: 3, .ycbcr: 3]
        isPlain = !isPlanar && samples.bits == 8 && (isConverted || colors[samples.color] == perPixel)
        rowBytes = (width * perPixel * samples.bits + 7) / 8
    }

    /// Converts pixels of a row to gray or RGB.
    ///
    /// Unsafe code: `row` has room for the columns, with one or three bytes each.
    func convert(row: Int, columns: Range<Int>, into out: UnsafeMutablePointer<UInt8>) {
        let start = row * rowBytes
        if isPlain {
            let bytes = planes[0][start + columns.lowerBound * perPixel..<start + columns.upperBound * perPixel]
            bytes.withUnsafeBufferPointer { out.update(from: $0.baseAddress ?? UnsafePointer(out), count: $0.count) }
            return
        }
        var out = out
        for x in columns {
            switch samples.color {
            case .gray(let isInverted):
                let value = sample(start, x, 0)
                out[0] = visible(isInverted ? 255 - value : value, start, x, 1)
                if !samples.isGray { (out[1], out[2]) = (out[0], out[0]) }
                out += samples.isGray ? 1 : 3
                continue
            case .palette:
                let index = Int(value(start, x, 0)) * 3
                for channel in 0..<3 { out[channel] = visible(samples.palette[index + channel], start, x, 1) }
            case .cmyk where !isConverted:
                let light = 255 - UInt32(sample(start, x, 3))
                for channel in 0..<3 {
                    let value = (255 - UInt32(sample(start, x, channel))) * light
                    out[channel] = visible(UInt8(truncatingIfNeeded: (value + 127) / 255), start, x, 4)
                }
            case .rgb, .ycbcr, .cmyk:
                for channel in 0..<3 { out[channel] = visible(sample(start, x, channel), start, x, 3) }
            }
            out += 3
        }
    }

    /// A color over white, if the pixel has an alpha.
    private func visible(_ value: UInt8, _ start: Int, _ x: Int, _ alphaIndex: Int) -> UInt8 {
        switch samples.alpha {
        case .none: value
        case .separate: onWhite(value, opacity: sample(start, x, alphaIndex))
        case .multiplied:
            UInt8(truncatingIfNeeded: min(UInt32(value) + 255 - UInt32(sample(start, x, alphaIndex)), 255))
        }
    }

    /// A sample as 0…255.
    private func sample(_ start: Int, _ x: Int, _ index: Int) -> UInt8 {
        let value = value(start, x, index)
        switch samples.bits {
        case 8: return UInt8(truncatingIfNeeded: value)
        case 16: return UInt8(truncatingIfNeeded: (UInt32(value) * 255 + 32895) >> 16)
        default: return UInt8(truncatingIfNeeded: UInt32(value) * 255 / (1 << UInt32(samples.bits) - 1))
        }
    }

    /// A sample as it is stored.
    private func value(_ start: Int, _ x: Int, _ index: Int) -> UInt16 {
        let plane = planes.count > 1 ? planes[index] : planes[0]
        let position = x * perPixel + (planes.count > 1 ? 0 : index)
        switch samples.bits {
        case 8:
            return UInt16(plane[start + position])
        case 16:
            let place = start + position * 2
            let (first, second) = (UInt16(plane[place]), UInt16(plane[place + 1]))
            return samples.isBigEndian ? first << 8 | second : second << 8 | first
        default:
            let bit = position * samples.bits
            return UInt16(plane[start + bit / 8]) >> UInt16(8 - samples.bits - bit % 8)
                & (1 << UInt16(samples.bits) - 1)
        }
    }
}
