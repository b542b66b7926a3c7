import Foundation

/// The address of an object in the hub's storage: a bucket and a name.
struct ObjectAddress: Sendable, Hashable {
    var bucket: String
    var name: String

    var uri: String { "gs://\(bucket)/\(name)" }

    /// Whether a text is a bucket name of Cloud Storage: 3 to 222 lower-case letters, digits, dots, hyphens and
    /// underscores.
    static func isBucket(_ name: String) -> Bool {
        (3...222).contains(name.utf8.count)
            && name.utf8.allSatisfy { (97...122).contains($0) || (48...57).contains($0) || [45, 46, 95].contains($0) }
            && name.utf8.first.map { $0 != 45 && $0 != 46 && $0 != 95 } == true
    }

    init(bucket: String, name: String) throws(HubError) {
        guard Self.isBucket(bucket) else {
            throw HubError(
                .invalidArgument,
                "\"\(bucket.prefix(80))\" cannot be the name of a bucket; use 3 to 222 lower-case letters, digits, dots, hyphens and "
                    + "underscores."
            )
        }
        // Names are keys of a table and never paths; control characters would only spoil logs.
        guard (1...1024).contains(name.utf8.count),
            name.unicodeScalars.allSatisfy({ $0.value >= 32 && $0.value != 127 })
        else {
            throw HubError(
                .invalidArgument,
                "An object needs a name of at most 1024 bytes without control characters."
            )
        }
        self.bucket = bucket
        self.name = name
    }

    /// Parses the address of an object: `gs://bucket/object`, or a signed address as sent by the Admin SDKs, with the
    /// bucket in the path or in the host. The hub looks up the object in its own storage and never fetches it, so the
    /// host and the signature do not matter.
    init(parsing text: String) throws(HubError) {
        let unreadable = HubError(
            .invalidArgument,
            "The address of the model's file is neither gs://bucket/object nor a signed address of the storage; upload the file to "
                + "the hub's storage and use its gs:// address."
        )
        guard text.utf8.count <= 8192 else { throw unreadable }
        if text.hasPrefix("gs://") {
            let path = text.dropFirst("gs://".count)
            guard let slash = path.firstIndex(of: "/") else { throw unreadable }
            try self.init(bucket: String(path[..<slash]), name: String(path[path.index(after: slash)...]))
            return
        }
        guard let scheme = ["https://", "http://"].first(where: text.hasPrefix) else { throw unreadable }
        let address = text.dropFirst(scheme.count).prefix { $0 != "?" && $0 != "#" }
        guard let slash = address.firstIndex(of: "/") else { throw unreadable }
        let host = address[..<slash]
        guard let path = String(address[address.index(after: slash)...]).removingPercentEncoding else {
            throw unreadable
        }
        if host.hasSuffix(Self.virtualHostSuffix) {
            try self.init(bucket: String(host.dropLast(Self.virtualHostSuffix.count)), name: path)
            return
        }
        guard let slash = path.firstIndex(of: "/") else { throw unreadable }
        try self.init(bucket: String(path[..<slash]), name: String(path[path.index(after: slash)...]))
    }

    private static let virtualHostSuffix = ".storage.googleapis.com"
}
