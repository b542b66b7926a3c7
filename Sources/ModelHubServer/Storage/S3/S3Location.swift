import Foundation
import ModelHubProtocol

/// A place in S3-compatible storage: a server, a bucket, and the beginning of all keys.
package struct S3Location: Sendable, Hashable {
    /// The name of the bucket.
    package var bucket: String
    /// The beginning of all keys: empty, or with a slash at its end.
    package var prefix: String
    /// The address of the server; nil for Amazon's.
    package var endpoint: URL?
    /// The region, which is a part of every signature.
    package var region: String

    /// Parses `s3://bucket/prefix?endpoint=http://127.0.0.1:9000&region=us-east-1`.
    ///
    /// Only the bucket is required. Without a region in the text, `AWS_REGION` or `AWS_DEFAULT_REGION` names it, and
    /// otherwise it is us-east-1.
    ///
    /// - Throws: `.invalidArgument` if the text is not such an address.
    package init(
        _ text: String,
        environment: [String: String] = ProcessInfo.processInfo.environment
    ) throws(HubError) {
        guard let parts = URLComponents(string: text), parts.scheme == "s3", let bucket = parts.host,
            Self.isBucket(bucket), parts.port == nil, parts.user == nil, parts.fragment == nil
        else {
            throw HubError(
                .invalidArgument,
                "\"\(AddressText.withoutPassword(text))\" is not the address of a bucket; write s3://BUCKET/PREFIX?endpoint=http://HOST:PORT, where the prefix and "
                    + "the endpoint are optional."
            )
        }
        self.bucket = bucket
        prefix = try Self.prefix(parts.path)
        region =
            ["AWS_REGION", "AWS_DEFAULT_REGION"].lazy.compactMap { environment[$0] }.first { !$0.isEmpty }
            ?? "us-east-1"
        for item in parts.queryItems ?? [] {
            switch item.name {
            case "endpoint": endpoint = try Self.endpoint(item.value ?? "")
            case "region": region = item.value ?? ""
            default:
                throw HubError(
                    .invalidArgument,
                    "The address of a bucket has no option \"\(item.name)\"; its options are endpoint and region."
                )
            }
        }
        guard !region.isEmpty, region.utf8.allSatisfy({ Self.isSafe($0) && $0 != UInt8(ascii: "/") }) else {
            throw HubError(.invalidArgument, "\"\(region)\" is not a region; write one such as us-east-1.")
        }
    }

    /// 3 to 63 lower-case letters, digits, dots and hyphens.
    private static func isBucket(_ name: String) -> Bool {
        (3...63).contains(name.utf8.count)
            && name.utf8.allSatisfy { (97...122).contains($0) || (48...57).contains($0) || $0 == 45 || $0 == 46 }
    }

    /// Keys consist of characters that need no escape in an address or in XML.
    private static func isSafe(_ byte: UInt8) -> Bool {
        (48...57).contains(byte) || (65...90).contains(byte) || (97...122).contains(byte)
            || [45, 46, 47, 95].contains(byte)
    }

    private static func prefix(_ path: String) throws(HubError) -> String {
        let parts = path.split(separator: "/")
        guard path.utf8.allSatisfy(isSafe), path.utf8.count <= 512, !parts.contains("."), !parts.contains("..") else {
            throw HubError(
                .invalidArgument,
                "\"\(path)\" cannot be the prefix of keys; use at most 512 letters, digits, dots, hyphens, underscores and slashes."
            )
        }
        return parts.map { "\($0)/" }.joined()
    }

    private static func endpoint(_ text: String) throws(HubError) -> URL {
        guard let url = URL(string: text), ["http", "https"].contains(url.scheme), url.host()?.isEmpty == false,
            url.user() == nil, url.query() == nil, ["", "/"].contains(url.path)
        else {
            throw HubError(
                .invalidArgument,
                "\"\(AddressText.withoutPassword(text))\" is not the endpoint of a storage server; write http://HOST:PORT or https://HOST:PORT."
            )
        }
        return url
    }

    /// The scheme and the host of requests, with the port if it is not the scheme's own.
    var origin: (scheme: String, host: String) {
        guard let endpoint, let scheme = endpoint.scheme, let name = endpoint.host() else {
            return ("https", isBucketInPath ? "s3.\(region).amazonaws.com" : "\(bucket).s3.\(region).amazonaws.com")
        }
        let host = name.contains(":") ? "[\(name)]" : name
        guard let port = endpoint.port, port != (scheme == "https" ? 443 : 80) else { return (scheme, host) }
        return (scheme, "\(host):\(port)")
    }

    /// The path of a key, or of the bucket itself.
    func path(of key: String) -> String { isBucketInPath ? "/\(bucket)/\(key)" : "/\(key)" }

    /// Other servers than Amazon's rarely have a name for each bucket, and its certificates do not cover names with dots.
    private var isBucketInPath: Bool { endpoint != nil || bucket.contains(".") }
}

extension S3Location: CustomStringConvertible {
    /// `s3://bucket/prefix`.
    package var description: String { "s3://\(bucket)/\(prefix)" }
}
