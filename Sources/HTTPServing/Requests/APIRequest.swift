import Foundation
import HTTPTypes
import Hummingbird
import Logging
import NIOCore

/// A request with decoded path and query, and its sender.
package struct APIRequest: Sendable {
    package let method: HTTPRequest.Method
    /// The parts of the path between slashes, percent-decoded. A part may contain a slash.
    package let path: [String]
    package let query: [String: String]
    package let headers: HTTPFields
    package let body: RequestBody
    /// The origin of the request.
    package let client: ClientAddress
    /// The connection of the request; nil for commands on the server's machine.
    package let connection: (any Channel)?
    /// Whether a page of another site sends the request through a browser.
    package let isFromOtherSite: Bool
    /// Whether a program on the server's machine sends the request: neither through a proxy that names its client, nor a web page whose
    /// host claims to be this machine.
    package let isFromThisMachine: Bool
    /// The limiter that counts the work of its body; nil for unlimited requests.
    package let limiter: RateLimiter<ClientNetwork>?
    /// The server's address for this client, without a trailing slash.
    package let base: String
    /// The original path and query, for signatures.
    package let target: String
    /// The host and port according to the client.
    package let authority: String
    package let logger: Logger
    /// The parts of the path that the route names, encoded.
    private let parameters: Parameters

    /// Creates the request of a context that the middleware has completed.
    package init(_ request: Request, _ context: ServingContext) {
        method = request.method
        headers = request.headers
        body = request.body
        authority = request.head.authority ?? ""
        client = context.client
        connection = context.connection
        isFromOtherSite = context.isFromOtherSite
        isFromThisMachine =
            context.client.isThisMachine && context.namesThisMachine && request.headers[.forwardedFor] == nil
        limiter = context.limiter
        base = context.base
        target = context.originalTarget
        path = context.target.path
        query = context.target.query
        logger = context.logger
        parameters = context.parameters
    }

    /// The part of the path with a name of the route; nil if the route has no such name.
    package func parameter(_ name: Substring) -> String? { parameters[name].map(Self.decoded) }

    /// The part of the path with a name of the route; empty if the route has no such name.
    package subscript(_ name: Substring) -> String { parameter(name) ?? "" }

    /// The parts of the path that the star at the end of the route stands for, with slashes between them.
    package var rest: String { parameters.getCatchAll().map(Self.decoded).joined(separator: "/") }

    /// A part without escapes. Targets with malformed escapes do not reach a route.
    private static func decoded(_ part: Substring) -> String {
        part.utf8.contains(PercentEncoding.escape) ? part.removingPercentEncoding ?? "" : String(part)
    }

    /// The token of `Authorization: Bearer …`.
    package var bearerToken: String? {
        guard let header = headers[.authorization] else { return nil }
        let parts = header.split(separator: " ", maxSplits: 1)
        guard parts.count == 2, parts[0].lowercased() == "bearer", parts[1].utf8.count <= 8192 else { return nil }
        return String(parts[1]).trimmingCharacters(in: .whitespaces)
    }

    /// The fields of the query in their order, with several of a name.
    package var queryFields: [(name: String, value: String)] {
        get throws(RequestError) {
            let bytes = Array(target.utf8)
            guard let mark = bytes.firstIndex(of: UInt8(ascii: "?")) else { return [] }
            return try FormFields.list(bytes[(mark + 1)...])
        }
    }

    /// The number of bytes in a body that cost as much as a request.
    private static let bytesOfAToken = 4096.0

    /// Charges the sender for work on a number of bytes. Senders with a bearer token are not charged, because they are
    /// known by name.
    package func charge(byteCount: Int) {
        guard bearerToken == nil else { return }
        limiter?.charge(Double(byteCount) / Self.bytesOfAToken, to: client.network)
    }
}
