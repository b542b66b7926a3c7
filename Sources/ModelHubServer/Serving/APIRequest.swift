import Foundation
import HTTPTypes
import Hummingbird
import NIOCore

/// A request taken apart: decoded path and query, and who sent it from where.
struct APIRequest: Sendable {
    let method: HTTPRequest.Method
    /// The parts of the path between slashes, percent-decoded; a part may thus hold a slash itself.
    let path: [String]
    let query: [String: String]
    let kind: RequestKind
    let headers: HTTPFields
    let body: RequestBody
    /// Where it comes from.
    let client: ClientAddress
    /// What counts the work that its body causes; nil for requests that nothing limits.
    let limiter: RateLimiter<ClientNetwork>?
    /// Set when the request comes from a command on the hub's machine, not over the network.
    let local: Caller?
    /// The hub's address as this client reaches it, without a slash at its end.
    let base: String
    /// Path and query as they came, for signatures of them.
    let target: String
    /// The host and port that the client says.
    let authority: String

    /// - Throws: `.invalidArgument` if path or query are not well-formed; `.notFound` if the path cannot lead anywhere.
    init(
        _ request: Request,
        client: ClientAddress,
        limiter: RateLimiter<ClientNetwork>?,
        local: Caller?,
        base: String
    ) throws(HubError) {
        method = request.method
        headers = request.headers
        body = request.body
        self.client = client
        self.limiter = limiter
        self.local = local
        self.base = base
        target = request.head.path ?? "/"
        authority = request.head.authority ?? ""
        let parts = try RequestTarget(target)
        path = parts.path
        query = parts.query
        kind = RequestKind(method, path)
    }

    /// The part after the last colon of the last segment and the path without it: how Google's custom methods are named.
    var customMethod: (path: [String], verb: String)? {
        guard let last = path.last, let colon = last.lastIndex(of: ":") else { return nil }
        return (path.dropLast() + [String(last[..<colon])], String(last[last.index(after: colon)...]))
    }
}

extension APIRequest {
    /// How long a body that is no file may take.
    private static let smallBodyTime = Duration.seconds(30)

    /// How many bytes a body that is no file may have.
    static let smallBodyLimit = 1 << 20

    /// How many bytes of a body cost as much as a request.
    private static let bytesOfAToken = 4096.0

    /// Takes the cost of work on a number of bytes from whoever sent them. Those that show a bearer token are known by name.
    func charge(byteCount: Int) {
        guard bearerToken == nil else { return }
        limiter?.charge(Double(byteCount) / Self.bytesOfAToken, to: client.network)
    }

    /// The whole body, which must be small and come soon, inflated if it is gzip. The limit holds before and after.
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
                "The body is gzip that is damaged or has more than \(limit) bytes inside; send the JSON as it is."
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
                "The body is not the JSON that this method takes; see the API's reference."
            )
        }
    }

    /// Refuses a body whose declared length is over a limit before any of it is read.
    func checkLength(_ limit: Int) throws(HubError) {
        if let text = headers[.contentLength], let length = Int(text), length > limit { throw .tooLarge(limit) }
    }
}

extension HubError {
    static func tooLarge(_ limit: Int) -> HubError {
        HubError(.invalidArgument, "The body has more than the \(limit) bytes that are taken here.", httpStatus: 413)
    }

    static let tooSlow = HubError(.deadlineExceeded, "The body comes too slowly; try again.", httpStatus: 408)
}
