/// The line with which a frame begins: the number of the picture's bytes, a space, and its name.
struct FrameHeader: Equatable {
    /// The number of the picture's bytes; the largest `Int` for a number that is larger still.
    let size: Int
    /// The picture's name, as ``FileName`` writes it.
    let name: String

    private static let maximumDigits = 20
    private static let maximumNameLength = 4096
    /// The largest number of bytes of a header without its line feed.
    static let maximumLength = maximumDigits + 1 + maximumNameLength

    /// Reads a line without its line feed; nil if it is not a header.
    init?(_ line: [UInt8]) {
        guard let space = line.firstIndex(of: UInt8(ascii: " ")), Self.isSize(line[..<space]) else { return nil }
        let name = line[(space + 1)...]
        guard name.count <= Self.maximumNameLength else { return nil }
        size = Int(String(decoding: line[..<space], as: UTF8.self)) ?? .max
        self.name = FileName.text(name)
    }

    /// Whether further bytes can make a header of the beginning of a line.
    static func canBegin(_ line: [UInt8]) -> Bool {
        let digits = line.prefix { $0 != UInt8(ascii: " ") }
        return isSize(digits) && line.count - digits.count <= 1 + maximumNameLength
    }

    private static func isSize(_ bytes: ArraySlice<UInt8>) -> Bool {
        (1...maximumDigits).contains(bytes.count)
            && bytes.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
    }
}
