import Foundation

/// Splits a list of paths at line feeds, or at NULs if the list has any, as from `find -print0`. A byte order mark, with which programs
/// of Windows begin a list, is not a part of the first path; it also identifies UTF-16.
struct PathList {
    private static let null = UInt8(0)
    private static let lineFeed = UInt8(ascii: "\n")
    private static let marks: [(bytes: [UInt8], encoding: String.Encoding?)] = [
        ([0xEF, 0xBB, 0xBF], nil), ([0xFF, 0xFE], .utf16LittleEndian), ([0xFE, 0xFF], .utf16BigEndian),
    ]

    private var bytes: [UInt8] = []
    /// The start of the next path.
    private var start = 0
    /// The byte that ends a path; nil until it is known.
    private var separator: UInt8?
    /// The first bytes, until it is known whether they are a mark.
    private var beginning: [UInt8]? = []
    /// The encoding if it is not UTF-8, and the bytes of a line that has not ended.
    private var encoding: String.Encoding?
    private var unread: [UInt8] = []

    /// Adds a part of the list.
    mutating func append(_ part: some Collection<UInt8>) {
        guard let beginning else { return read(part) }
        let first = beginning + part
        let canBecomeMark = Self.marks.contains { first.count < $0.bytes.count && $0.bytes.starts(with: first) }
        self.beginning = canBecomeMark ? first : nil
        if !canBecomeMark { readBeginning(first) }
    }

    private mutating func readBeginning(_ first: [UInt8]) {
        let mark = Self.marks.first { first.starts(with: $0.bytes) }
        encoding = mark?.encoding
        read(first.dropFirst(mark?.bytes.count ?? 0))
    }

    private mutating func read(_ part: some Collection<UInt8>) {
        guard let encoding else { return add(part) }
        unread += part
        // The bytes of a line feed begin at an even offset.
        let pattern: [UInt8] = encoding == .utf16LittleEndian ? [Self.lineFeed, 0] : [0, Self.lineFeed]
        let places = stride(from: unread.count / 2 * 2 - 2, through: 0, by: -2)
        if let end = places.first(where: { unread[$0...($0 + 1)].elementsEqual(pattern) }) { decodeUnread(end + 2) }
    }

    private mutating func decodeUnread(_ count: Int) {
        let text = encoding.flatMap { String(bytes: unread.prefix(count), encoding: $0) } ?? ""
        unread.removeFirst(count)
        add(text.utf8)
    }

    private mutating func add(_ part: some Collection<UInt8>) {
        bytes.removeFirst(start)
        start = 0
        bytes += part
        if separator == nil { separator = [Self.null, Self.lineFeed].first { part.contains($0) } }
    }

    /// Returns the next path that is not empty; nil if the list needs more bytes.
    ///
    /// - Parameter isComplete: whether the list has ended, so that the last path needs no separator.
    mutating func next(isComplete: Bool) -> [UInt8]? {
        if isComplete {
            if let first = beginning { readBeginning(first) }
            beginning = nil
            if !unread.isEmpty { decodeUnread(unread.count) }
        }
        while start < bytes.count {
            let end = separator.flatMap { bytes[start...].firstIndex(of: $0) }
            guard end != nil || isComplete else { return nil }
            var path = bytes[start..<(end ?? bytes.count)]
            start = (end ?? bytes.count - 1) + 1
            if separator != Self.null, path.last == UInt8(ascii: "\r") { path = path.dropLast() }
            if !path.isEmpty { return Array(path) }
        }
        return nil
    }
}
