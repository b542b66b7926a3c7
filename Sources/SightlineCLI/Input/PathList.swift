/// Splits a list of paths at line feeds, or at NULs if the list has any, as from `find -print0`.
struct PathList {
    private static let null = UInt8(0)
    private static let lineFeed = UInt8(ascii: "\n")

    private var bytes: [UInt8] = []
    /// The start of the next path.
    private var start = 0
    /// The byte that ends a path; nil until it is known.
    private var separator: UInt8?

    /// Adds a part of the list.
    mutating func append(_ part: some Collection<UInt8>) {
        bytes.removeFirst(start)
        start = 0
        bytes += part
        if separator == nil { separator = [Self.null, Self.lineFeed].first { part.contains($0) } }
    }

    /// Returns the next path that is not empty; nil if the list needs more bytes.
    ///
    /// - Parameter isComplete: whether the list has ended, so that the last path needs no separator.
    mutating func next(isComplete: Bool) -> [UInt8]? {
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
