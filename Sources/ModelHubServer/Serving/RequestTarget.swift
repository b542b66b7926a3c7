/// The target of a request, path and query, decoded in a single pass over its bytes.
struct RequestTarget: Sendable {
    /// The parts of the path between slashes. A part may contain a slash.
    let path: [String]
    /// The fields of the query; for several fields with a name, the last one.
    let query: [String: String]

    /// The maximum length of a target in bytes.
    private static let lengthLimit = 16_384
    /// The maximum number of parts in a path. The longest name of an object has fewer slashes.
    private static let partLimit = 600

    private init() { (path, query) = ([], [:]) }

    /// The target `/`.
    static let root = RequestTarget()

    /// - Throws: `.invalidArgument` if the target is not well-formed; `.notFound` if its path has empty parts or
    ///   unnecessary escapes, outside the names of objects. Path rules of proxies would not recognize such paths.
    init(_ text: String) throws(HubError) {
        let bytes = Array(text.utf8)
        guard bytes.count <= Self.lengthLimit else {
            throw HubError(.invalidArgument, "The request's address is longer than \(Self.lengthLimit) bytes.")
        }
        let end = bytes.firstIndex(of: UInt8(ascii: "?")) ?? bytes.endIndex
        query = end < bytes.endIndex ? try FormFields.parse(bytes[(end + 1)...]) : [:]
        guard bytes.first == UInt8(ascii: "/") else { throw HubError.nothingHere }
        let parts = bytes[1..<end].split(
            separator: UInt8(ascii: "/"),
            maxSplits: Self.partLimit,
            omittingEmptySubsequences: false
        )
        guard parts.count <= Self.partLimit else { throw HubError.nothingHere }
        if parts.count == 1, parts[0].isEmpty {
            path = []
            return
        }
        let namesObject =
            Self.objectAreas.contains { parts[0].elementsEqual($0.utf8) }
            || query[SignedObjectRequest.algorithmField] != nil
        // Firebase's SDK for Apple's systems ends the addresses of installations with a slash.
        let takesFinalSlash = parts[0].elementsEqual("v1".utf8)
        var path: [String] = []
        path.reserveCapacity(parts.count)
        for part in parts {
            if part.isEmpty {
                guard namesObject || part.startIndex == end && takesFinalSlash else { throw HubError.nothingHere }
                continue
            }
            path.append(try Self.text(of: part, takesAnyEscape: namesObject))
        }
        self.path = path
    }

    /// The parts of paths that precede the names of objects.
    private static let objectAreas = ["storage", "upload", "resumable", "download"]

    private static func text(of part: ArraySlice<UInt8>, takesAnyEscape: Bool) throws(HubError) -> String {
        guard part.contains(where: { $0 == PercentEncoding.escape || $0 == 0 }) else {
            return String(decoding: part, as: UTF8.self)
        }
        var decoded: [UInt8] = []
        decoded.reserveCapacity(part.count)
        var index = part.startIndex
        while index < part.endIndex {
            let byte = try PercentEncoding.next(part, &index)
            if byte.isEscaped, !takesAnyEscape, PercentEncoding.isUnreserved(byte.value) { throw HubError.nothingHere }
            decoded.append(byte.value)
        }
        guard let text = String(validating: decoded, as: UTF8.self) else { throw HubError.invalidArgument }
        return text
    }
}

extension RequestTarget {
    /// The target with a path that a router can compare byte by byte: escapes of printable characters are decoded, except
    /// those that would change the parts of the path. Nil if the target has no such escapes, or malformed escapes.
    static func routable(_ target: String) -> String? {
        let bytes = target.utf8
        let end = bytes.firstIndex(of: UInt8(ascii: "?")) ?? bytes.endIndex
        guard bytes[..<end].contains(PercentEncoding.escape) else { return nil }
        let structure = "/?#%".utf8
        let path = Array(bytes[..<end])[...]
        var routable: [UInt8] = []
        routable.reserveCapacity(bytes.count)
        var index = path.startIndex
        while index < path.endIndex {
            let start = index
            guard let byte = try? PercentEncoding.next(path, &index) else { return nil }
            if byte.isEscaped, !(33...126).contains(byte.value) || structure.contains(byte.value) {
                routable.append(contentsOf: path[start..<index])
            } else {
                routable.append(byte.value)
            }
        }
        guard routable.count < path.count else { return nil }
        return String(decoding: routable + bytes[end...], as: UTF8.self)
    }
}

extension HubError {
    /// The error for unknown addresses.
    static let nothingHere = HubError(
        .notFound,
        "There is nothing at this address; /openapi.json describes the hub's API."
    )
}
