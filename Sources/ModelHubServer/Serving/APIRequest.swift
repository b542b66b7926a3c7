import Foundation
import HTTPTypes
import Hummingbird
import Logging
import NIOCore

/// A request with decoded path and query, and its sender.
struct APIRequest: Sendable {
    let method: HTTPRequest.Method
    /// The parts of the path between slashes, percent-decoded. A part may contain a slash.
    let path: [String]
    let query: [String: String]
    let headers: HTTPFields
    let body: RequestBody
    /// The origin of the request.
    let client: ClientAddress
    /// The connection of the request; nil for commands on the hub's machine.
    let connection: (any Channel)?
    /// The limiter that counts the work of its body; nil for unlimited requests.
    let limiter: RateLimiter<ClientNetwork>?
    /// The caller if a command on the hub's machine sends the request; nil for requests over the network.
    let local: Identity?
    /// The hub's address for this client, without a trailing slash.
    let base: String
    /// The original path and query, for signatures.
    let target: String
    /// The host and port according to the client.
    let authority: String
    let logger: Logger
    /// The parts of the path that the route names, encoded.
    private let parameters: Parameters

    init(_ request: Request, _ context: HubContext) {
        method = request.method
        headers = request.headers
        body = request.body
        authority = request.head.authority ?? ""
        client = context.client
        connection = context.connection
        limiter = context.limiter
        local = context.local
        base = context.base
        target = context.originalTarget
        path = context.target.path
        query = context.target.query
        logger = context.logger
        parameters = context.parameters
    }

    /// The part of the path that the route names so; nil if the route has no such name.
    func parameter(_ name: Substring) -> String? { parameters[name].map(Self.decoded) }

    /// The part of the path that the route names so; empty if the route has no such name.
    subscript(_ name: Substring) -> String { parameter(name) ?? "" }

    /// The parts of the path that the star at the end of the route stands for, with slashes between them.
    var rest: String { parameters.getCatchAll().map(Self.decoded).joined(separator: "/") }

    /// A part without escapes. Targets with malformed escapes do not reach a route.
    private static func decoded(_ part: Substring) -> String {
        part.utf8.contains(PercentEncoding.escape) ? part.removingPercentEncoding ?? "" : String(part)
    }
}

extension APIRequest {
    /// The maximum duration for receiving a body that is not a file.
    private static let smallBodyTime = Duration.seconds(30)

    /// The maximum size of a body that is not a file in bytes.
    static let smallBodyLimit = 1 << 20

    /// The number of bytes in a body that cost as much as a request.
    private static let bytesOfAToken = 4096.0

    /// Charges the sender for work on a number of bytes. Senders with a bearer token are not charged, because they are
    /// known by name.
    func charge(byteCount: Int) {
        guard bearerToken == nil else { return }
        limiter?.charge(Double(byteCount) / Self.bytesOfAToken, to: client.network)
    }

    /// The whole body, inflated if it is gzip. It must be small and arrive in time; the limit applies before and after
    /// inflating.
    func smallBody(upTo limit: Int = smallBodyLimit) async throws -> ByteBuffer {
        let end = ContinuousClock.now + Self.smallBodyTime
        var whole = ByteBuffer()
        try checkLength(limit)
        for try await piece in body {
            guard whole.readableBytes + piece.readableBytes <= limit else {
                throw HubError.tooLarge(limit)
            }
            guard ContinuousClock.now < end else { throw HubError.tooSlow }
            whole.writeImmutableBuffer(piece)
        }
        charge(byteCount: whole.readableBytes)
        guard Gzip.isCompressed(whole) else { return whole }
        guard let content = Gzip.inflated(whole, limit: limit) else {
            throw HubError(
                .invalidArgument,
                "The gzip body is damaged or inflates to more than \(limit) bytes; send the JSON without compression."
            )
        }
        charge(byteCount: max(content.readableBytes - whole.readableBytes, 0))
        return content
    }

    /// The body as the fields of a form.
    func form(upTo limit: Int) async throws -> [String: String] {
        try FormFields.parse(Array(try await smallBody(upTo: limit).readableBytesView)[...])
    }

    /// The body as JSON.
    func json<Value: Decodable>(_ type: Value.Type, upTo limit: Int = smallBodyLimit) async throws -> Value {
        let buffer = try await smallBody(upTo: limit)
        do {
            return try JSONDecoder().decode(type, from: Data(buffer.readableBytesView))
        } catch {
            throw HubError(
                .invalidArgument,
                "The body is not the JSON that this method expects; /openapi.json describes it."
            )
        }
    }

    /// Rejects a body whose declared length exceeds a limit before reading it.
    func checkLength(_ limit: Int) throws(HubError) {
        if let text = headers[.contentLength], let length = Int(text), length > limit { throw .tooLarge(limit) }
    }
}

extension HubError {
    static func tooLarge(_ limit: Int) -> HubError {
        HubError(.invalidArgument, "The body has more than \(limit) bytes, the limit of this method.", httpStatus: 413)
    }

    static let tooSlow = HubError(.deadlineExceeded, "The body arrives too slowly; try again.", httpStatus: 408)
}
