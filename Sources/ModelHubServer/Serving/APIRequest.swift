import Foundation
import HTTPTypes
import Hummingbird
import NIOCore

/// A request with decoded path and query, and its sender.
struct APIRequest: Sendable {
    let method: HTTPRequest.Method
    /// The parts of the path between slashes, percent-decoded. A part may contain a slash.
    let path: [String]
    let query: [String: String]
    let kind: RequestKind
    let headers: HTTPFields
    let body: RequestBody
    /// The origin of the request.
    let client: ClientAddress
    /// The limiter that counts the work of its body; nil for unlimited requests.
    let limiter: RateLimiter<ClientNetwork>?
    /// The caller if a command on the hub's machine sends the request; nil for requests over the network.
    let local: Caller?
    /// The hub's address for this client, without a trailing slash.
    let base: String
    /// The original path and query, for signatures.
    let target: String
    /// The host and port according to the client.
    let authority: String

    /// - Throws: `.invalidArgument` if the path or the query is not well-formed; `.notFound` if the path cannot exist.
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

    /// The part after the last colon of the last segment, and the path without it: the form of Google's custom methods.
    var customMethod: (path: [String], verb: String)? {
        guard let last = path.last, let colon = last.lastIndex(of: ":") else { return nil }
        return (path.dropLast() + [String(last[..<colon])], String(last[last.index(after: colon)...]))
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
                "The body is not the JSON that this method expects; see the API's reference."
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
