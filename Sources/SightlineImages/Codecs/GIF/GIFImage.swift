import Foundation

/// A GIF file that has been read up to the pixels of its first frame.
struct GIFImage: CodedImage {
    /// The size of the canvas, in which the first frame lies.
    let size: PixelSize
    private let data: Data
    private let frame: Frame

    /// The place of the first frame in the canvas and in the file.
    private struct Frame {
        var left: Int
        var top: Int
        var width: Int
        var height: Int
        var isInterlaced: Bool
        /// Red, green and blue of each index.
        var palette: Data
        var transparentIndex: Int?
        /// The bits of an index.
        var rootBits: Int
        /// The offset of the first block of compressed bytes.
        var start: Int
    }

    init(_ data: Data) throws(ImageError) {
        let file = ByteReader(data: data)
        guard let width = file.uint16(at: 6, isBigEndian: false), let height = file.uint16(at: 8, isBigEndian: false),
            let flags = file.byte(at: 10)
        else { throw .cutShort("GIF") }
        var offset = 13
        let palette = try Self.palette(flags, file, &offset)
        let frame = try Self.firstFrame(file, offset, palette)
        self.data = data
        self.frame = frame
        // A frame that is larger than its canvas is shown whole, as browsers do.
        size = PixelSize(width: max(width, frame.left + frame.width), height: max(height, frame.top + frame.height))
    }

    /// Reads a color table if the flags announce one.
    private static func palette(_ flags: UInt8, _ file: ByteReader, _ offset: inout Int) throws(ImageError) -> Data? {
        guard flags & 0x80 != 0 else { return nil }
        let count = 3 << (Int(flags & 7) + 1)
        guard let table = file.slice(at: offset, count: count) else { throw .cutShort("GIF") }
        offset += count
        return table
    }

    private static func firstFrame(_ file: ByteReader, _ start: Int, _ common: Data?) throws(ImageError) -> Frame {
        var offset = start
        var transparentIndex: Int?
        while let kind = file.byte(at: offset) {
            switch kind {
            case 0x21:  // an extension
                // The graphics control extension has the index that is transparent.
                if file.byte(at: offset + 1) == 0xF9, let flags = file.byte(at: offset + 3) {
                    transparentIndex = flags & 1 == 1 ? file.byte(at: offset + 6).map(Int.init) : nil
                }
                offset = try end(ofBlocksAt: offset + 2, file)
            case 0x2C:  // a frame
                func number(_ place: Int) -> Int? { file.uint16(at: offset + place, isBigEndian: false) }
                guard let left = number(1), let top = number(3), let width = number(5), let height = number(7),
                    let flags = file.byte(at: offset + 9)
                else { throw .cutShort("GIF") }
                offset += 10
                let own = try palette(flags, file, &offset)
                guard let rootBits = file.byte(at: offset) else { throw .cutShort("GIF") }
                guard width > 0, height > 0, (1...8).contains(rootBits) else {
                    throw .corrupted(
                        format: "GIF",
                        reason: "its frame has \(width) × \(height) pixels of \(rootBits) bits"
                    )
                }
                guard let palette = own ?? common else {
                    throw .corrupted(format: "GIF", reason: "it has no color table")
                }
                return Frame(
                    left: left,
                    top: top,
                    width: width,
                    height: height,
                    isInterlaced: flags & 0x40 != 0,
                    palette: palette,
                    transparentIndex: transparentIndex,
                    rootBits: Int(rootBits),
                    start: offset + 1
                )
            case 0x3B:
                throw .corrupted(format: "GIF", reason: "it has no frame")
            default:
                throw .corrupted(format: "GIF", reason: "a block of the unknown kind \(kind) comes at byte \(offset)")
            }
        }
        throw .cutShort("GIF")
    }

    /// Steps over blocks, each with its length before it, up to the empty block at their end.
    private static func end(ofBlocksAt start: Int, _ file: ByteReader) throws(ImageError) -> Int {
        var offset = start
        while let length = file.byte(at: offset) {
            offset += 1 + Int(length)
            if length == 0 { return offset }
        }
        throw .cutShort("GIF")
    }

    /// The compressed bytes of the first frame.
    private var codes: [UInt8] {
        let file = ByteReader(data: data)
        var codes: [UInt8] = []
        var offset = frame.start
        while let length = file.byte(at: offset), length > 0 {
            let count = min(Int(length), file.count - offset - 1)
            codes += file.slice(at: offset + 1, count: count) ?? Data()
            offset += 1 + Int(length)
        }
        return codes
    }

    /// Decodes the whole canvas at full size.
    func decoded(for request: DecodingRequest) throws(ImageError) -> DecodedImage {
        var indices = [UInt8](repeating: 0, count: frame.width * frame.height)
        guard let count = LZWDecoder(.gif(rootBits: frame.rootBits)).decode(codes, into: &indices) else {
            throw .corrupted(format: "GIF", reason: "its compressed data have an impossible code")
        }
        guard count == indices.count else { throw .cutShort("GIF") }
        let colors = colorTable
        // Each row of the frame, in the order of the file, becomes a row of the canvas.
        return DecodedImage(
            whole: try PixelBuffer(filling: size, channels: 3) { rows, stride throws(ImageError) in
                rows.initialize(repeating: 255, count: stride * size.height)
                for (source, y) in rowOrder.enumerated() {
                    // In range: the frame lies inside the canvas, and a table has 256 colors.
                    var pixel = rows + (frame.top + y) * stride + frame.left * 3
                    for index in indices[source * frame.width..<(source + 1) * frame.width] {
                        let color = Int(index) * 3
                        pixel[0] = colors[color]
                        pixel[1] = colors[color + 1]
                        pixel[2] = colors[color + 2]
                        pixel += 3
                    }
                }
            }
        )
    }

    /// The colors of 256 indices: black for indices without a color, white for the transparent index.
    private var colorTable: [UInt8] {
        var colors = [UInt8](repeating: 0, count: 256 * 3)
        for (place, value) in frame.palette.enumerated() { colors[place] = value }
        if let index = frame.transparentIndex {
            for place in index * 3..<index * 3 + 3 { colors[place] = 255 }
        }
        return colors
    }

    /// The frame's rows in the order of the file. Interlaced rows come in four passes.
    private var rowOrder: [Int] {
        guard frame.isInterlaced else { return Array(0..<frame.height) }
        return [(0, 8), (4, 8), (2, 4), (1, 2)].flatMap { stride(from: $0.0, to: frame.height, by: $0.1) }
    }
}
