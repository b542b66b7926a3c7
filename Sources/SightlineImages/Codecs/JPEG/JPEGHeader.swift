/// The tables and the first scan of a JPEG, as far as ``JPEGThumbnail`` reads them (ITU-T T.81, annex B).
struct JPEGHeader {
    /// A color component.
    struct Component {
        var id: UInt8
        var horizontal: Int
        var vertical: Int
        /// The quantization steps of the first coefficients, in the order of the file (zigzag); the first is that of DC.
        var steps: [Int32]
        var dcTable: JPEGHuffmanTable
        /// Nil in a progressive picture, whose first scan has no AC coefficients.
        var acTable: JPEGHuffmanTable?
    }

    private(set) var width = 0
    private(set) var height = 0
    private(set) var isProgressive = false
    private(set) var components: [Component] = []
    /// The number of MCUs between two restart markers; 0 if there are no markers.
    private(set) var restartInterval = 0
    /// The number of bits by which DC coefficients of the first scan are shifted right.
    private(set) var pointTransform = 0
    /// The offset of the entropy-coded bytes of the first scan.
    private(set) var scanStart = 0

    private struct FrameComponent {
        var id: UInt8
        var horizontal: Int
        var vertical: Int
        var quantizationTable: Int
    }

    private var frame: [FrameComponent] = []
    private var steps: [[Int32]?] = Array(repeating: nil, count: 4)
    private var dcTables: [JPEGHuffmanTable?] = Array(repeating: nil, count: 4)
    private var acTables: [JPEGHuffmanTable?] = Array(repeating: nil, count: 4)
    private var adobeTransform: UInt8?
    private var hasJFIF = false

    /// Reads all segments up to the first scan; nil if ``JPEGThumbnail`` does not read such a picture.
    init?(_ bytes: UnsafeRawBufferPointer) {
        guard bytes.count > 4, bytes[0] == 0xFF, bytes[1] == 0xD8 else { return nil }
        // Without this check, progressive pictures that are cut off would go unnoticed, since only their beginning is read.
        guard Self.hasEnd(bytes) else { return nil }
        var position = 2
        while position + 4 <= bytes.count {
            guard bytes[position] == 0xFF else { return nil }
            let marker = bytes[position + 1]
            if marker == 0xFF {
                position += 1
                continue
            }
            let length = Int(bytes[position + 2]) << 8 | Int(bytes[position + 3])
            let end = position + 2 + length
            guard length >= 2, end <= bytes.count else { return nil }
            let body = UnsafeRawBufferPointer(rebasing: bytes[position + 4..<end])
            guard read(marker, body) else { return nil }
            position = end
            if marker == 0xDA {
                scanStart = end
                return
            }
        }
        return nil
    }

    private static func hasEnd(_ bytes: UnsafeRawBufferPointer) -> Bool {
        var index = bytes.count - 2
        while index > 2 {
            if bytes[index] == 0xFF, bytes[index + 1] == 0xD9 { return true }
            index -= 1
        }
        return false
    }

    private mutating func read(_ marker: UInt8, _ body: UnsafeRawBufferPointer) -> Bool {
        switch marker {
        case 0xC0, 0xC1, 0xC2: readFrame(body, isProgressive: marker == 0xC2)
        case 0xC4: readHuffmanTables(body)
        case 0xDB: readQuantizationTables(body)
        case 0xDD: readRestartInterval(body)
        case 0xDA: readScan(body)
        case 0xE0:
            readApplication0(body)
        case 0xEE:
            readAdobe(body)
        case 0xE1...0xEF, 0xFE: true
        default: false
        }
    }

    private mutating func readApplication0(_ body: UnsafeRawBufferPointer) -> Bool {
        hasJFIF = hasJFIF || body.starts(with: [0x4A, 0x46, 0x49, 0x46, 0])
        return true
    }

    private mutating func readAdobe(_ body: UnsafeRawBufferPointer) -> Bool {
        if body.count >= 12, body.starts(with: [0x41, 0x64, 0x6F, 0x62, 0x65]) { adobeTransform = body[11] }
        return true
    }

    private mutating func readRestartInterval(_ body: UnsafeRawBufferPointer) -> Bool {
        guard body.count == 2 else { return false }
        restartInterval = Int(body[0]) << 8 | Int(body[1])
        return true
    }

    private mutating func readQuantizationTables(_ body: UnsafeRawBufferPointer) -> Bool {
        var position = 0
        while position < body.count {
            let isWide = body[position] >> 4 != 0
            let table = Int(body[position] & 15)
            let size = isWide ? 129 : 65
            guard table < 4, position + size <= body.count else { return false }
            steps[table] = (0..<JPEGBlockWriter.coefficientCount).map { index in
                let at = position + 1 + (isWide ? 2 * index : index)
                return isWide ? Int32(body[at]) << 8 | Int32(body[at + 1]) : Int32(body[at])
            }
            position += size
        }
        return true
    }

    private mutating func readHuffmanTables(_ body: UnsafeRawBufferPointer) -> Bool {
        var position = 0
        while position < body.count {
            guard position + 17 <= body.count else { return false }
            let kind = body[position]
            let counts = (1...16).map { Int(body[position + $0]) }
            let total = counts.reduce(0, +)
            guard kind & 15 < 4, kind >> 4 < 2, total <= 256, position + 17 + total <= body.count else { return false }
            let symbols = Array(body[position + 17..<position + 17 + total])
            guard let table = JPEGHuffmanTable(counts: counts, symbols: symbols, isAC: kind >> 4 == 1) else {
                return false
            }
            if kind >> 4 == 0 { dcTables[Int(kind & 15)] = table } else { acTables[Int(kind & 15)] = table }
            position += 17 + total
        }
        return true
    }

    private mutating func readFrame(_ body: UnsafeRawBufferPointer, isProgressive: Bool) -> Bool {
        guard frame.isEmpty, body.count >= 6, body[0] == 8 else { return false }
        self.isProgressive = isProgressive
        height = Int(body[1]) << 8 | Int(body[2])
        width = Int(body[3]) << 8 | Int(body[4])
        let count = Int(body[5])
        guard width > 0, height > 0, count == 1 || count == 3, body.count == 6 + 3 * count else { return false }
        frame = (0..<count).map { index in
            let at = 6 + 3 * index
            return FrameComponent(
                id: body[at],
                horizontal: Int(body[at + 1] >> 4),
                vertical: Int(body[at + 1] & 15),
                quantizationTable: Int(body[at + 2])
            )
        }
        // A single component is never subsampled; its factors have no meaning.
        if count == 1 { (frame[0].horizontal, frame[0].vertical) = (1, 1) }
        let (horizontal, vertical) = (frame[0].horizontal, frame[0].vertical)
        return [1, 2].contains(horizontal) && [1, 2].contains(vertical)
            && frame.dropFirst().allSatisfy {
                [1, horizontal].contains($0.horizontal) && [1, vertical].contains($0.vertical)
            }
    }

    private mutating func readScan(_ body: UnsafeRawBufferPointer) -> Bool {
        guard !frame.isEmpty, body.count == 4 + 2 * frame.count, Int(body[0]) == frame.count else { return false }
        guard frame.count == 1 || isYCbCr else { return false }
        let tail = 1 + 2 * frame.count
        let (first, last) = (body[tail], body[tail + 1])
        let (high, low) = (body[tail + 2] >> 4, body[tail + 2] & 15)
        guard first == 0, high == 0, isProgressive ? last == 0 && low <= 13 : last == 63 && low == 0 else {
            return false
        }
        pointTransform = Int(low)
        for (index, part) in frame.enumerated() {
            let tables = body[2 + 2 * index]
            guard body[1 + 2 * index] == part.id, tables >> 4 < 4, tables & 15 < 4, part.quantizationTable < 4,
                let steps = steps[part.quantizationTable], let dcTable = dcTables[Int(tables >> 4)]
            else { return false }
            // Later scans may add two levels at most to a mean.
            guard ((1 << Int32(low)) - 1) * steps[0] <= 2 * 8 else { return false }
            let acTable = isProgressive ? nil : acTables[Int(tables & 15)]
            guard isProgressive || acTable != nil else { return false }
            components.append(
                Component(
                    id: part.id,
                    horizontal: part.horizontal,
                    vertical: part.vertical,
                    steps: steps,
                    dcTable: dcTable,
                    acTable: acTable
                )
            )
        }
        return true
    }

    /// Decides as libjpeg does: by Adobe's marker, then JFIF's, then the usual component numbers.
    private var isYCbCr: Bool {
        if hasJFIF { return true }
        if let adobeTransform { return adobeTransform == 1 }
        return frame.map(\.id) == [1, 2, 3]
    }
}
