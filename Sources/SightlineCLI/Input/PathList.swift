/// Takes a list of paths apart: one on each line, or, in a list that has NULs as that of `find -print0`, one before each NUL.
struct PathList {
    private static let null = UInt8(0)
    private static let lineFeed = UInt8(ascii: "\n")

    private var bytes: [UInt8] = []
    /// Where the next path begins.
    private var start = 0
    /// What ends a path; nil until the list shows it.
    private var separator: UInt8?

    /// Takes in more of the list.
    mutating func append(_ part: some Collection<UInt8>) {
        bytes.removeFirst(start)
        start = 0
        bytes += part
        if separator == nil { separator = [Self.null, Self.lineFeed].first { part.contains($0) } }
    }

    /// The next path that is not empty; nil if more of the list is needed.
    ///
    /// - Parameter isComplete: whether there is no more, so that the last path needs no separator.
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
