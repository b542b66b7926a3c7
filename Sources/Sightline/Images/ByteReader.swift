import Foundation

/// Reads numbers out of bytes that need not be trustworthy: what lies outside is nil.
struct ByteReader {
    let data: Data

    var count: Int { data.count }

    func byte(at offset: Int) -> UInt8? {
        guard offset >= 0, offset < data.count else { return nil }
        return data[data.startIndex + offset]
    }

    func uint16(at offset: Int, isBigEndian: Bool) -> Int? {
        guard let first = byte(at: offset), let second = byte(at: offset + 1) else { return nil }
        return isBigEndian ? Int(first) << 8 | Int(second) : Int(second) << 8 | Int(first)
    }

    func uint32(at offset: Int, isBigEndian: Bool) -> Int? {
        guard let first = uint16(at: offset, isBigEndian: isBigEndian),
            let second = uint16(at: offset + 2, isBigEndian: isBigEndian)
        else { return nil }
        return isBigEndian ? first << 16 | second : second << 16 | first
    }

    func slice(at offset: Int, count: Int) -> Data? {
        guard offset >= 0, count >= 0, offset <= data.count, count <= data.count - offset else { return nil }
        return data[(data.startIndex + offset)..<(data.startIndex + offset + count)]
    }

    /// Whether the ASCII characters of `text` stand at an offset.
    func has(_ text: String, at offset: Int) -> Bool {
        slice(at: offset, count: text.utf8.count).map { $0.elementsEqual(text.utf8) } ?? false
    }
}
