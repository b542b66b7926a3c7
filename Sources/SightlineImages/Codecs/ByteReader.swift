import Foundation

/// Reads numbers from bytes that may be hostile: a number outside the bytes is nil.
package struct ByteReader: Sendable {
    /// The bytes. They may be a slice of other data; offsets count from the slice's start.
    package let data: Data

    /// Creates a reader.
    package init(data: Data) {
        self.data = data
    }

    /// The number of bytes.
    package var count: Int { data.count }

    /// The byte at an offset.
    package func byte(at offset: Int) -> UInt8? {
        guard offset >= 0, offset < data.count else { return nil }
        return data[data.startIndex + offset]
    }

    /// The 16-bit number at an offset.
    package func uint16(at offset: Int, isBigEndian: Bool) -> Int? {
        guard let first = byte(at: offset), let second = byte(at: offset + 1) else { return nil }
        return isBigEndian ? Int(first) << 8 | Int(second) : Int(second) << 8 | Int(first)
    }

    /// The 32-bit number at an offset.
    package func uint32(at offset: Int, isBigEndian: Bool) -> Int? {
        guard let first = uint16(at: offset, isBigEndian: isBigEndian),
            let second = uint16(at: offset + 2, isBigEndian: isBigEndian)
        else { return nil }
        return isBigEndian ? first << 16 | second : second << 16 | first
    }

    /// The bytes at an offset; nil unless all of them are there.
    package func slice(at offset: Int, count: Int) -> Data? {
        guard offset >= 0, count >= 0, offset <= data.count, count <= data.count - offset else { return nil }
        return data[(data.startIndex + offset)..<(data.startIndex + offset + count)]
    }

    /// Returns whether the ASCII characters of a text are at an offset.
    package func has(_ text: String, at offset: Int) -> Bool {
        slice(at: offset, count: text.utf8.count).map { $0.elementsEqual(text.utf8) } ?? false
    }
}
