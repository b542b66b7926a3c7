import Foundation

#if canImport(zlib)
    import zlib
#else
    import CZlib
#endif

/// Decompresses the strips and tiles of a TIFF picture.
struct TIFFDecompressor {
    private enum Method { case none, packBits, lzw, deflate, jpeg }

    /// The largest factor by which compressed bytes grow. It is LZW's: a code of 12 bits may stand for 4,096 bytes.
    private static let mostExpansion = 4096 * 8 / 12

    private let method: Method
    private let hasPredictor: Bool
    private let bits: Int
    private let isBigEndian: Bool
    /// Tables that all JPEG chunks share, without their markers of start and end.
    private let jpegTables: Data
    private let isRGBInJPEG: Bool

    /// Whether chunks are JPEG files, whose decoder converts luma and color differences, and inks, to RGB.
    var isJPEG: Bool { method == .jpeg }

    init(_ directory: TIFFDirectory, _ samples: TIFFSamples) throws(ImageError) {
        let compression = directory.number(.compression) ?? 1
        switch compression {
        case 1: method = .none
        case 5: method = .lzw
        case 7: method = .jpeg
        case 8, 32946: method = .deflate
        case 32773: method = .packBits
        case 2...4: throw .rareTIFF("fax compression")
        default: throw .rareTIFF("compression \(compression)")
        }
        if let order = directory.number(.fillOrder), order != 1 { throw .rareTIFF("low bits first") }
        bits = samples.bits
        isBigEndian = directory.isBigEndian
        switch directory.number(.predictor) ?? 1 {
        case 1: hasPredictor = false
        case 2 where bits >= 8: hasPredictor = true
        case let predictor: throw .rareTIFF("predictor \(predictor) with \(bits) bits")
        }
        let tables = directory.bytes(.jpegTables)
        jpegTables = tables.map { $0.count >= 4 ? $0.dropFirst(2).dropLast(2) : Data() } ?? Data()
        isRGBInJPEG = samples.color == .rgb
    }

    /// Decompresses a chunk to rows without gaps, each of which begins at a byte.
    ///
    /// - Throws: `ImageError.corrupted` if the bytes hold fewer pixels.
    func decompress(_ data: Data, to size: PixelSize, samplesPerPixel: Int) throws(ImageError) -> [UInt8] {
        if method == .jpeg { return try decompressJPEG(data, to: size, samplesPerPixel: samplesPerPixel) }
        let rowBytes = (size.width * samplesPerPixel * bits + 7) / 8
        let (count, overflow) = rowBytes.multipliedReportingOverflow(by: size.height)
        guard !overflow else { throw .outOfMemory(bytes: .max) }
        // Before memory is allocated: no method compresses that much.
        guard count / Self.mostExpansion <= data.count else { throw .cutShort("TIFF") }
        var bytes: [UInt8]
        switch method {
        case .none, .jpeg:
            bytes = Array(data.prefix(count))
            guard bytes.count == count else { throw .cutShort("TIFF") }
        case .packBits:
            bytes = try Self.unpacked(Array(data), count)
        case .lzw:
            bytes = [UInt8](repeating: 0, count: count)
            guard let written = LZWDecoder(.tiff).decode(Array(data), into: &bytes) else {
                throw .corrupted(format: "TIFF", reason: "its compressed data have an impossible code")
            }
            guard written == count else { throw .cutShort("TIFF") }
        case .deflate:
            bytes = try Self.inflated(data, count)
        }
        if hasPredictor { addNeighbors(&bytes, rowBytes: rowBytes, samplesPerPixel: samplesPerPixel) }
        return bytes
    }

    /// Undoes horizontal differences (TIFF 6.0, section 14).
    private func addNeighbors(_ bytes: inout [UInt8], rowBytes: Int, samplesPerPixel: Int) {
        let step = samplesPerPixel * bits / 8
        guard rowBytes > step else { return }
        for start in stride(from: 0, to: bytes.count, by: rowBytes) {
            if bits == 8 {
                for place in start + step..<start + rowBytes { bytes[place] &+= bytes[place - step] }
                continue
            }
            let (high, low) = isBigEndian ? (0, 1) : (1, 0)
            for place in stride(from: start + step, to: start + rowBytes - 1, by: 2) {
                func value(_ at: Int) -> UInt16 { UInt16(bytes[at + high]) << 8 | UInt16(bytes[at + low]) }
                let sum = value(place) &+ value(place - step)
                bytes[place + high] = UInt8(truncatingIfNeeded: sum >> 8)
                bytes[place + low] = UInt8(truncatingIfNeeded: sum)
            }
        }
    }

    /// PackBits (TIFF 6.0, section 9).
    private static func unpacked(_ packed: [UInt8], _ count: Int) throws(ImageError) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(count)
        var place = 0
        while bytes.count < count {
            guard place + 1 < packed.count else { throw .cutShort("TIFF") }
            let length = Int(Int8(bitPattern: packed[place]))
            if length >= 0 {
                guard place + 1 + length < packed.count else { throw .cutShort("TIFF") }
                bytes += packed[place + 1...place + 1 + length]
                place += 2 + length
            } else {
                if length > -128 { bytes += repeatElement(packed[place + 1], count: 1 - length) }
                place += length > -128 ? 2 : 1
            }
        }
        return Array(bytes.prefix(count))
    }

    /// Deflate in zlib's format. Bytes beyond the rows are passed over.
    private static func inflated(_ data: Data, _ count: Int) throws(ImageError) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: count)
        var written = uLongf(count)
        let code = data.withUnsafeBytes { packed in
            bytes.withUnsafeMutableBufferPointer { output in
                uncompress(output.baseAddress, &written, packed.bytes, uLong(packed.count))
            }
        }
        guard code == Z_OK || code == Z_BUF_ERROR else {
            throw .corrupted(format: "TIFF", reason: "its compressed data break the rules of deflate")
        }
        guard Int(written) == count else { throw .cutShort("TIFF") }
        return bytes
    }

    // MARK: JPEG (TIFF Technical Note 2)

    private func decompressJPEG(_ data: Data, to size: PixelSize, samplesPerPixel: Int) throws(ImageError) -> [UInt8] {
        guard data.count > 2 else { throw .cutShort("TIFF") }
        var file = Data([0xFF, 0xD8])
        if samplesPerPixel == 3 {
            // Adobe's segment says whether the three samples are RGB (0) or YCbCr (1); libjpeg would guess.
            file += [0xFF, 0xEE, 0, 14] + Array("Adobe".utf8) + [0, 100, 0, 0, 0, 0, isRGBInJPEG ? 0 : 1]
        }
        file += jpegTables + data.dropFirst(2)
        let image = try JPEGCodec(hasPlainInks: true).open(file)
        guard image.size == size else {
            throw .corrupted(
                format: "TIFF",
                reason: "a part of it has \(image.size.width) × \(image.size.height) pixels, expected "
                    + "\(size.width) × \(size.height)"
            )
        }
        let pixels = try image.decoded(for: DecodingRequest(whole: size)).pixels
        let channels = pixels.format == .gray ? 1 : 3
        // CMYK comes as RGB.
        guard channels == min(samplesPerPixel, 3), let plane = pixels.planes.first else {
            throw .corrupted(format: "TIFF", reason: "a part of it has another number of samples")
        }
        return Array(plane.data)
    }
}
