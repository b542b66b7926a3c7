import Foundation

/// The end of a file as its format states it.
///
/// FFmpeg reads a file up to its last byte and often takes a missing rest for the end. Many formats state how long their parts are, or end
/// with a mark, so that a look at a few bytes shows a cut.
enum StatedEnd {
    /// The reason for which a file is cut off; nil if its format does not state it, or if the file is complete.
    static func missing(in url: URL) -> String? {
        guard let file = try? FileHandle(forReadingFrom: url), let size = try? file.seekToEnd() else { return nil }
        defer { try? file.close() }
        let bytes = Bytes(file: file, size: size)
        guard let start = bytes.read(12, at: 0) else { return nil }
        if start.starts(with: [0x1A, 0x45, 0xDF, 0xA3]) { return matroska(bytes) }
        if start.starts(with: Array("RIFF".utf8)) { return riff(bytes, start) }
        if start.starts(with: [0x89, 0x50, 0x4E, 0x47]) { return png(bytes) }
        if start.starts(with: Array("GIF8".utf8)) { return gif(bytes) }
        if boxTypes.contains(Data(start[4..<8])) { return mp4(bytes) }
        return transportStream(bytes)
    }

    private struct Bytes {
        let file: FileHandle
        let size: UInt64

        func read(_ count: Int, at offset: UInt64) -> [UInt8]? {
            guard offset <= size, UInt64(count) <= size - offset, (try? file.seek(toOffset: offset)) != nil,
                let data = try? file.read(upToCount: count), data.count == count
            else { return nil }
            return [UInt8](data)
        }
    }

    private static func bigEndian(_ bytes: some Collection<UInt8>) -> UInt64 {
        bytes.reduce(0) { $0 << 8 | UInt64($1) }
    }

    /// A part that begins at an offset and lacks its last bytes.
    private static func cut(_ part: String, lacking count: UInt64) -> String {
        "the file is cut off: its last \(part) lacks \(count) bytes"
    }

    /// Types of the first box in files of the MP4 family.
    private static let boxTypes = Set(
        ["ftyp", "styp", "moov", "moof", "mdat", "free", "skip", "wide", "sidx"].map { Data($0.utf8) }
    )
    /// A file of more boxes or chunks is not looked at further.
    private static let mostParts = 1_000_000

    /// The boxes of ISO/IEC 14496-12, section 4.2: the size with itself, or 1 and a longer size, or 0 for a box up to the end.
    private static func mp4(_ bytes: Bytes) -> String? {
        var offset: UInt64 = 0
        for _ in 0..<mostParts where offset < bytes.size {
            guard let header = bytes.read(8, at: offset) else { return nil }
            var length = bigEndian(header[0..<4])
            if length == 0 { return nil }
            if length == 1 {
                guard let longer = bytes.read(8, at: offset + 8) else { return nil }
                length = bigEndian(longer)
            }
            // Something else follows the boxes.
            guard length >= 8, header[4..<8].allSatisfy({ $0 >= 0x20 && $0 < 0x7F || $0 == 0xA9 }) else { return nil }
            guard length <= bytes.size - offset else {
                return cut("box", lacking: length - (bytes.size - offset))
            }
            offset += length
        }
        return nil
    }

    /// The elements of RFC 8794, section 4: an identifier and a length, whose bits are all set if it is not known.
    private static func matroska(_ bytes: Bytes) -> String? {
        func element(at offset: UInt64) -> (id: UInt64, content: UInt64, length: UInt64?)? {
            guard let first = bytes.read(1, at: offset)?.first, first != 0 else { return nil }
            let idLength = first.leadingZeroBitCount + 1
            guard idLength <= 4, let id = bytes.read(idLength, at: offset),
                let size = bytes.read(1, at: offset + UInt64(idLength))?.first, size != 0
            else { return nil }
            let sizeLength = size.leadingZeroBitCount + 1
            guard let field = bytes.read(sizeLength, at: offset + UInt64(idLength)) else { return nil }
            let mask = (UInt64(1) << UInt64(7 * sizeLength)) - 1
            let length = bigEndian(field) & mask
            return (bigEndian(id), offset + UInt64(idLength + sizeLength), length == mask ? nil : length)
        }
        var offset: UInt64 = 0
        for _ in 0..<mostParts where offset < bytes.size {
            guard let part = element(at: offset) else { return nil }
            guard let length = part.length else {
                // A segment or cluster that a live writer did not finish: its elements follow.
                offset = part.content
                continue
            }
            guard part.content <= bytes.size, length <= bytes.size - part.content else {
                return cut("element", lacking: length - (bytes.size - min(part.content, bytes.size)))
            }
            offset = part.content + length
        }
        return nil
    }

    /// AVI and WebP: each chunk has its length; a long AVI file has several.
    private static func riff(_ bytes: Bytes, _ start: [UInt8]) -> String? {
        var offset: UInt64 = 0
        for _ in 0..<mostParts where offset < bytes.size {
            guard let header = bytes.read(8, at: offset), header.starts(with: Array("RIFF".utf8)) else { return nil }
            let length = bigEndian(header[4..<8].reversed())
            // A writer that could not go back left no length.
            guard length > 0, length < 0xFFFF_FF00 else { return nil }
            let end = offset + 8 + length
            guard end <= bytes.size else { return cut("chunk", lacking: end - bytes.size) }
            offset = end + length % 2
        }
        return nil
    }

    /// The last chunk of a PNG file is IEND.
    private static func png(_ bytes: Bytes) -> String? {
        var offset: UInt64 = 8
        for _ in 0..<mostParts where offset < bytes.size {
            guard let header = bytes.read(8, at: offset) else { break }
            let length = bigEndian(header[0..<4]) + 12
            guard length <= bytes.size - offset else { return cut("chunk", lacking: length - (bytes.size - offset)) }
            if header[4..<8].elementsEqual(Array("IEND".utf8)) { return nil }
            offset += length
        }
        return "the file is cut off: it has no last chunk"
    }

    /// The last byte of a GIF file is 0x3B; zeros may follow.
    private static func gif(_ bytes: Bytes) -> String? {
        let count = Int(min(bytes.size, 64))
        guard let end = bytes.read(count, at: bytes.size - UInt64(count)) else { return nil }
        return end.last { $0 != 0 } == 0x3B ? nil : "the file is cut off: its last byte is missing"
    }

    /// Packets of ISO/IEC 13818-1 have 188 bytes and begin with 0x47; in recordings, four bytes may precede or sixteen follow each.
    private static func transportStream(_ bytes: Bytes) -> String? {
        for (size, before) in [(188, 0), (192, 4), (204, 0)] as [(UInt64, UInt64)] {
            guard bytes.size >= 4 * size else { continue }
            let marks = (0..<4).map { bytes.read(1, at: before + $0 * size)?.first }
            guard marks.allSatisfy({ $0 == 0x47 }) else { continue }
            let rest = bytes.size % size
            return rest == 0 ? nil : cut("packet", lacking: size - rest)
        }
        return nil
    }
}
