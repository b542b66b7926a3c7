import Foundation

/// The fields of a picture in a TIFF file (TIFF 6.0, section 2).
struct TIFFDirectory {
    enum Tag: Int {
        case subfileType = 254
        case width = 256
        case height = 257
        case bitsPerSample = 258
        case compression = 259
        case photometric = 262
        case fillOrder = 266
        case stripOffsets = 273
        case orientation = 274
        case samplesPerPixel = 277
        case rowsPerStrip = 278
        case stripByteCounts = 279
        case planarConfiguration = 284
        case predictor = 317
        case colorMap = 320
        case tileWidth = 322
        case tileHeight = 323
        case tileOffsets = 324
        case tileByteCounts = 325
        case extraSamples = 338
        case sampleFormat = 339
        case jpegTables = 347
    }

    private struct Field {
        /// Bytes of a value.
        var size: Int
        var count: Int
        /// The offset of the first value in the file.
        var place: Int
    }

    let isBigEndian: Bool
    private let file: ByteReader
    private var fields: [Int: Field] = [:]

    /// Reads the directory of the first full picture; smaller copies before it are passed over.
    init(_ file: ByteReader) throws(ImageError) {
        self.file = file
        isBigEndian = file.has("MM", at: 0)
        guard var offset = file.uint32(at: 4, isBigEndian: isBigEndian) else { throw .cutShort("TIFF") }
        // A chain may lead round in circles.
        for _ in 0..<16 {
            offset = try read(at: offset)
            if (number(.subfileType) ?? 0) & 1 == 0 { return }
            guard offset > 0 else { break }
        }
        throw .unsupportedFormat(
            found: "a TIFF of a rare kind (it has small copies of a picture only, as raw files of cameras do)"
        )
    }

    /// Reads a directory and returns the offset of the next one.
    private mutating func read(at offset: Int) throws(ImageError) -> Int {
        guard let count = file.uint16(at: offset, isBigEndian: isBigEndian), offset + 2 + count * 12 <= file.count
        else {
            throw .cutShort("TIFF")
        }
        fields = [:]
        for index in 0..<count {
            let entry = offset + 2 + index * 12
            guard let tag = file.uint16(at: entry, isBigEndian: isBigEndian),
                let kind = file.uint16(at: entry + 2, isBigEndian: isBigEndian),
                let values = file.uint32(at: entry + 4, isBigEndian: isBigEndian)
            else { throw .cutShort("TIFF") }
            // Bytes, shorts, longs and undefined bytes; other types have no meaning here.
            let sizes = [1: 1, 3: 2, 4: 4, 7: 1]
            guard let size = sizes[kind] else { continue }
            let isInside = size * values <= 4
            let place = isInside ? entry + 8 : file.uint32(at: entry + 8, isBigEndian: isBigEndian) ?? 0
            fields[tag] = Field(size: size, count: values, place: place)
        }
        return file.uint32(at: offset + 2 + count * 12, isBigEndian: isBigEndian) ?? 0
    }

    /// The number of values of a field; 0 if the field is absent.
    func count(_ tag: Tag) -> Int { fields[tag.rawValue]?.count ?? 0 }

    /// A value of a field; nil if it is absent.
    func number(_ tag: Tag, _ index: Int = 0) -> Int? {
        guard let field = fields[tag.rawValue], index < field.count else { return nil }
        let place = field.place + index * field.size
        switch field.size {
        case 1: return file.byte(at: place).map(Int.init)
        case 2: return file.uint16(at: place, isBigEndian: isBigEndian)
        default: return file.uint32(at: place, isBigEndian: isBigEndian)
        }
    }

    /// The bytes of a field.
    func bytes(_ tag: Tag) -> Data? {
        fields[tag.rawValue].flatMap { file.slice(at: $0.place, count: $0.size * $0.count) }
    }
}
