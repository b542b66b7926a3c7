import Foundation

/// A BMP file whose header has been read.
struct BMPImage: CodedImage {
    let size: PixelSize
    private let data: Data
    private let bitsPerPixel: Int
    private let compression: Compression
    /// Whether the first row of the file is the top row of the picture.
    private let isTopDown: Bool
    /// Red, green and blue of 256 indices; empty if pixels have no index.
    private let palette: [UInt8]
    private let masks: Masks
    /// The offset of the first row.
    private let start: Int

    private enum Compression: Equatable { case none, runs }

    /// The bits of a pixel that hold each color. An alpha without bits means that the picture is opaque.
    private struct Masks {
        var red: UInt32
        var green: UInt32
        var blue: UInt32
        var alpha: UInt32

        static let rgb555 = Masks(red: 0x7C00, green: 0x3E0, blue: 0x1F, alpha: 0)
        static let bgrx = Masks(red: 0xFF0000, green: 0xFF00, blue: 0xFF, alpha: 0)
    }

    init(_ data: Data) throws(ImageError) {
        let file = ByteReader(data: data)
        func number(_ offset: Int) throws(ImageError) -> Int {
            guard let value = file.uint32(at: offset, isBigEndian: false) else { throw .cutShort("BMP") }
            return value
        }
        func short(_ offset: Int) throws(ImageError) -> Int {
            guard let value = file.uint16(at: offset, isBigEndian: false) else { throw .cutShort("BMP") }
            return value
        }
        let headerSize = try number(14)
        let isOld = headerSize == 12
        let width = isOld ? try short(18) : Int(Int32(truncatingIfNeeded: try number(18)))
        let height = isOld ? try short(20) : Int(Int32(truncatingIfNeeded: try number(22)))
        guard width > 0, height != 0, height > Int(Int32.min) else {
            throw .corrupted(format: "BMP", reason: "its size is \(width) × \(height)")
        }
        let bits = try short(isOld ? 24 : 28)
        let kind = headerSize >= 40 ? try number(30) : 0
        switch (kind, bits) {
        case (0, 1), (0, 2), (0, 4), (0, 8), (0, 16), (0, 24), (0, 32), (3, 16), (3, 32), (6, 16), (6, 32):
            compression = .none
        case (1, 8), (2, 4):
            compression = .runs
        default:
            throw .unsupportedFormat(found: "a BMP of a rare kind (\(bits) bits, compression \(kind))")
        }
        guard compression == .none || height > 0 else {
            throw .corrupted(format: "BMP", reason: "its runs go from the top downwards")
        }
        // Masks belong to the header from version 2 on; before, they follow it.
        let hasMasks = kind == 3 || kind == 6
        masks =
            hasMasks
            ? Masks(
                red: UInt32(try number(54)),
                green: UInt32(try number(58)),
                blue: UInt32(try number(62)),
                alpha: kind == 6 || headerSize >= 56 ? UInt32(try number(66)) : 0
            ) : bits == 16 ? .rgb555 : .bgrx
        let maskBytes = hasMasks && headerSize == 40 ? (kind == 6 ? 16 : 12) : 0
        start = try number(10)
        let tableStart = 14 + headerSize + maskBytes
        palette =
            bits <= 8
            ? Self.palette(
                file,
                at: tableStart,
                end: start,
                entrySize: isOld ? 3 : 4,
                count: headerSize >= 40 ? try number(46) : 0,
                most: 1 << bits
            ) : []
        size = PixelSize(width: width, height: abs(height))
        bitsPerPixel = bits
        isTopDown = height < 0
        self.data = data
    }

    /// Reads the colors that are there, up to the first row; the others are black.
    private static func palette(
        _ file: ByteReader,
        at offset: Int,
        end: Int,
        entrySize: Int,
        count: Int,
        most: Int
    ) -> [UInt8] {
        let room = max(min(end, file.count) - offset, 0) / entrySize
        let count = min(count == 0 ? most : min(count, most), room)
        var colors = [UInt8](repeating: 0, count: 256 * 3)
        for index in 0..<count {
            for channel in 0..<3 {
                colors[index * 3 + channel] = file.byte(at: offset + index * entrySize + 2 - channel) ?? 0
            }
        }
        return colors
    }

    func decoded(for request: DecodingRequest) throws(ImageError) -> DecodedImage {
        if compression == .runs { return try decodedRuns() }
        let part = DecodedPart(of: size, request.region)
        let (rowBits, overflow) = size.width.multipliedReportingOverflow(by: bitsPerPixel)
        let rowBytes = (rowBits + 31) / 32 * 4
        let (total, tooMany) = rowBytes.multipliedReportingOverflow(by: size.height)
        // The padding of the last row may be absent.
        let needed = total - rowBytes + (rowBits + 7) / 8
        guard !overflow, !tooMany, start <= data.count, needed <= data.count - start else { throw .cutShort("BMP") }
        let pixels = try PixelBuffer(
            filling: PixelSize(width: part.width, height: part.height),
            channels: 3
        ) { rows, stride throws(ImageError) in
            data.withUnsafeBytes { bytes in
                let reader = PixelReader(self, bytes)
                for y in 0..<part.height {
                    let row = isTopDown ? part.top + y : size.height - 1 - part.top - y
                    reader.convert(
                        rowAt: start + row * rowBytes,
                        columns: part.left..<part.left + part.width,
                        into: rows + y * stride
                    )
                }
            }
        }
        return DecodedImage(pixels: pixels, region: part.rect(), storedSize: size)
    }

    /// Converts the pixels of a row to RGB.
    ///
    /// Unsafe code: `decoded(for:)` has checked that the file holds all rows, and columns lie inside the picture.
    private struct PixelReader {
        private let bytes: UnsafeRawBufferPointer
        private let bits: Int
        private let palette: [UInt8]
        private let red: Channel
        private let green: Channel
        private let blue: Channel
        private let alpha: Channel?

        init(_ image: BMPImage, _ bytes: UnsafeRawBufferPointer) {
            self.bytes = bytes
            bits = image.bitsPerPixel
            palette = image.palette
            red = Channel(image.masks.red)
            green = Channel(image.masks.green)
            blue = Channel(image.masks.blue)
            alpha = image.masks.alpha == 0 || image.hasOnlyClearPixels ? nil : Channel(image.masks.alpha)
        }

        func convert(rowAt start: Int, columns: Range<Int>, into row: UnsafeMutablePointer<UInt8>) {
            var out = row
            for x in columns {
                switch bits {
                case 24:
                    let place = start + x * 3
                    (out[0], out[1], out[2]) = (bytes[place + 2], bytes[place + 1], bytes[place])
                case 16:
                    let place = start + x * 2
                    write(UInt32(bytes[place]) | UInt32(bytes[place + 1]) << 8, to: out)
                case 32:
                    write(
                        UInt32(
                            littleEndian: bytes.loadUnaligned(fromByteOffset: start + x * 4, as: UInt32.self)
                        ),
                        to: out
                    )
                default:
                    let bit = x * bits
                    let index = Int(bytes[start + bit / 8]) >> (8 - bits - bit % 8) & (1 << bits - 1)
                    for channel in 0..<3 { out[channel] = palette[index * 3 + channel] }
                }
                out += 3
            }
        }

        private func write(_ pixel: UInt32, to out: UnsafeMutablePointer<UInt8>) {
            (out[0], out[1], out[2]) = (red.value(pixel), green.value(pixel), blue.value(pixel))
            guard let alpha else { return }
            let opacity = alpha.value(pixel)
            for channel in 0..<3 { out[channel] = onWhite(out[channel], opacity: opacity) }
        }
    }

    /// A color's bits of a pixel.
    private struct Channel {
        private let mask: UInt32
        private let shift: UInt32
        private let most: UInt64

        init(_ mask: UInt32) {
            self.mask = mask
            shift = mask == 0 ? 0 : UInt32(mask.trailingZeroBitCount)
            most = UInt64(mask >> shift)
        }

        /// The color as 0…255.
        func value(_ pixel: UInt32) -> UInt8 {
            guard most > 0 else { return 0 }
            return UInt8(truncatingIfNeeded: (UInt64((pixel & mask) >> shift) * 255 + most / 2) / most)
        }
    }

    /// Whether no pixel has an alpha above 0. Programs that write no alpha leave 0 there, and mean opaque pixels.
    private var hasOnlyClearPixels: Bool {
        guard bitsPerPixel == 32, start <= data.count else { return false }
        return data.withUnsafeBytes { bytes in
            for pixel in 0..<min(size.width * size.height, (bytes.count - start) / 4) {
                let value = bytes.loadUnaligned(fromByteOffset: start + pixel * 4, as: UInt32.self)
                if UInt32(littleEndian: value) & masks.alpha != 0 { return false }
            }
            return true
        }
    }

    /// Decodes run-length encoded indices. Pixels that runs step over have index 0.
    private func decodedRuns() throws(ImageError) -> DecodedImage {
        let file = ByteReader(data: data)
        var indices = [UInt8](repeating: 0, count: size.width * size.height)
        var (x, y, offset) = (0, 0, start)
        func put(_ index: UInt8) {
            guard x < size.width, y < size.height else { return }
            indices[(size.height - 1 - y) * size.width + x] = index
            x += 1
        }
        // Two indices of 4 bits share a byte.
        func index(_ byte: UInt8, _ place: Int) -> UInt8 {
            bitsPerPixel == 8 ? byte : place % 2 == 0 ? byte >> 4 : byte & 15
        }
        decoding: while y < size.height {
            guard let count = file.byte(at: offset), let value = file.byte(at: offset + 1) else {
                throw .cutShort("BMP")
            }
            offset += 2
            switch (count, value) {
            case (0, 0): (x, y) = (0, y + 1)
            case (0, 1): break decoding
            case (0, 2):
                guard let right = file.byte(at: offset), let up = file.byte(at: offset + 1) else {
                    throw .cutShort("BMP")
                }
                (x, y, offset) = (x + Int(right), y + Int(up), offset + 2)
            case (0, let length):
                let bytes = bitsPerPixel == 8 ? Int(length) : (Int(length) + 1) / 2
                guard let slice = file.slice(at: offset, count: bytes) else { throw .cutShort("BMP") }
                for place in 0..<Int(length) {
                    put(index(slice[slice.startIndex + (bitsPerPixel == 8 ? place : place / 2)], place))
                }
                offset += bytes + bytes % 2
            case (let length, _):
                for place in 0..<Int(length) { put(index(value, place)) }
            }
        }
        return DecodedImage(
            whole: try PixelBuffer(filling: size, channels: 3) { rows, _ throws(ImageError) in
                var out = rows
                for index in indices {
                    for channel in 0..<3 { out[channel] = palette[Int(index) * 3 + channel] }
                    out += 3
                }
            }
        )
    }
}
