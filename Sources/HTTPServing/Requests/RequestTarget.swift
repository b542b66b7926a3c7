/// The target of a request, path and query, decoded in a single pass over its bytes.
package struct RequestTarget: Sendable {
    /// The paths that may be written in several ways. All others have one spelling, so that a rule of a proxy in front of
    /// the server cannot miss them.
    package struct Spelling: Sendable {
        /// The first parts of paths whose further parts may be empty or have any escapes.
        package var freeAreas: [String] = []
        /// The field of a query that permits the same.
        package var freeField: String?
        /// The first part of paths that may end with a slash.
        package var areaWithFinalSlash: String?

        /// Permits nothing.
        package init() {}
    }

    /// The parts of the path between slashes. A part may contain a slash.
    package let path: [String]
    /// The fields of the query; for several fields with a name, the last one.
    package let query: [String: String]
    /// The target with a path that a router can compare byte by byte: escapes of printable characters are decoded, except
    /// those that would change the parts of the path. Nil if that is the target itself.
    package let routable: String?

    /// The maximum length of a target in bytes.
    private static let lengthLimit = 16_384
    /// The maximum number of parts in a path. The longest name of an object has fewer slashes.
    private static let partLimit = 600

    private init() { (path, query, routable) = ([], [:], nil) }

    /// The target `/`.
    package static let root = RequestTarget()

    /// - Throws: `.malformed` if the target is not well-formed, `.targetTooLong`, and `.unknownAddress` if its path has
    ///   empty parts or unnecessary escapes that its spelling does not permit.
    package init(_ text: String, spelling: Spelling = Spelling()) throws(RequestError) {
        let bytes = Array(text.utf8)
        guard bytes.count <= Self.lengthLimit else { throw .targetTooLong(limit: Self.lengthLimit) }
        let end = bytes.firstIndex(of: UInt8(ascii: "?")) ?? bytes.endIndex
        let query = end < bytes.endIndex ? try FormFields.parse(bytes[(end + 1)...]) : [:]
        guard bytes.first == UInt8(ascii: "/") else { throw .unknownAddress }
        let parts = bytes[1..<end].split(
            separator: UInt8(ascii: "/"),
            maxSplits: Self.partLimit,
            omittingEmptySubsequences: false
        )
        guard parts.count <= Self.partLimit else { throw .unknownAddress }
        if parts.count == 1, parts[0].isEmpty {
            (path, self.query, routable) = ([], query, nil)
            return
        }
        let isFree =
            spelling.freeAreas.contains { parts[0].elementsEqual($0.utf8) }
            || spelling.freeField.map { query[$0] != nil } ?? false
        let takesFinalSlash = spelling.areaWithFinalSlash.map { parts[0].elementsEqual($0.utf8) } ?? false
        var path: [String] = []
        path.reserveCapacity(parts.count)
        var isEscaped = false
        var routable: [UInt8] = []
        for part in parts {
            guard !part.isEmpty else {
                guard isFree || part.startIndex == end && takesFinalSlash else { throw .unknownAddress }
                if isEscaped { routable.append(UInt8(ascii: "/")) }
                continue
            }
            if !isEscaped, part.contains(where: { $0 == PercentEncoding.escape || $0 == 0 }) {
                isEscaped = true
                routable.reserveCapacity(bytes.count)
                routable += bytes[..<(part.startIndex - 1)]
            }
            guard isEscaped else {
                path.append(String(decoding: part, as: UTF8.self))
                continue
            }
            routable.append(UInt8(ascii: "/"))
            path.append(try Self.decoded(part, takesAnyEscape: isFree, routable: &routable))
        }
        (self.path, self.query) = (path, query)
        self.routable =
            isEscaped && routable.count < end ? String(decoding: routable + bytes[end...], as: UTF8.self) : nil
    }

    /// Decodes a part, and appends its routable form.
    private static func decoded(
        _ part: ArraySlice<UInt8>,
        takesAnyEscape: Bool,
        routable: inout [UInt8]
    ) throws(RequestError) -> String {
        var decoded: [UInt8] = []
        decoded.reserveCapacity(part.count)
        var index = part.startIndex
        while index < part.endIndex {
            let start = index
            let byte = try PercentEncoding.next(part, &index)
            if byte.isEscaped, !takesAnyEscape, PercentEncoding.isUnreserved(byte.value) { throw .unknownAddress }
            decoded.append(byte.value)
            if byte.isEscaped, !(33...126).contains(byte.value) || structure.contains(byte.value) {
                routable.append(contentsOf: part[start..<index])
            } else {
                routable.append(byte.value)
            }
        }
        guard let text = String(validating: decoded, as: UTF8.self) else { throw .malformed }
        return text
    }

    /// The characters that separate the parts of a target.
    private static let structure = "/?#%".utf8
}
