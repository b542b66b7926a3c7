/// The line with which a frame begins: the number of the picture's bytes, a space, and its name. For a picture on the web, `@` and its
/// address replace the number, and no bytes follow.
struct FrameHeader: Equatable {
    /// The place of the picture.
    enum Content: Equatable {
        /// This many bytes follow the header; the largest `Int` for a number that is larger still.
        case bytes(Int)
        /// The picture is behind an address.
        case address(String)
    }

    let content: Content
    /// The picture's name, as ``FileName`` writes it.
    let name: String

    private static let maximumDigits = 20
    private static let maximumNameLength = 4096
    private static let maximumAddressLength = 4096
    private static let addressMark = UInt8(ascii: "@")
    /// The largest number of bytes of a header without its line feed.
    static let maximumLength = 1 + maximumAddressLength + 1 + maximumNameLength

    /// Reads a line without its line feed; nil if it is not a header.
    init?(_ line: [UInt8]) {
        guard let space = line.firstIndex(of: UInt8(ascii: " ")) else { return nil }
        let (place, name) = (line[..<space], line[(space + 1)...])
        guard name.count <= Self.maximumNameLength else { return nil }
        if place.first == Self.addressMark {
            let address = String(decoding: place.dropFirst(), as: UTF8.self)
            guard place.count <= 1 + Self.maximumAddressLength, Input.isAddress(address) else { return nil }
            content = .address(address)
        } else {
            guard Self.isSize(place) else { return nil }
            content = .bytes(Int(String(decoding: place, as: UTF8.self)) ?? .max)
        }
        self.name = FileName.text(name)
    }

    /// Whether further bytes can make a header of the beginning of a line.
    static func canBegin(_ line: [UInt8]) -> Bool {
        let place = line.prefix { $0 != UInt8(ascii: " ") }
        let isPlace = place.first == addressMark ? place.count <= 1 + maximumAddressLength : isSize(place)
        return isPlace && line.count - place.count <= 1 + maximumNameLength
    }

    private static func isSize(_ bytes: ArraySlice<UInt8>) -> Bool {
        (1...maximumDigits).contains(bytes.count)
            && bytes.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
    }
}
