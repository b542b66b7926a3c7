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
    let headers: HTTPFields
    let body: RequestBody
    /// The address from which it came.
    let peer: String
    /// Set when the request comes from a command on the hub's machine, not over the network.
    let local: Caller?
    /// The hub's address as this client reaches it, without a slash at its end.
    let base: String
    /// Path and query as they came, for signatures of them.
    let target: String
    /// The host and port that the client says.
    let authority: String

    /// - Throws: `.invalidArgument` if path or query are not well-formed.
    init(
        _ request: Request,
        peer: String,
        local: Caller?,
        base: String
    ) throws(HubError) {
        method = request.method
        headers = request.headers
        body = request.body
        self.peer = peer
        self.local = local
        self.base = base
        target = request.head.path ?? "/"
        authority = request.head.authority ?? ""
        guard target.utf8.count <= 16_384 else {
            throw HubError(.invalidArgument, "The request's address is longer than 16384 bytes.")
        }
        let parts = Self.split(target[...], at: "?", maxSplits: 1)
        path = try Self.segments(parts.first ?? "")
        query = parts.count > 1 ? try Self.fields(parts[1]) : [:]
    }

    /// The part after the last colon of the last segment and the path without it: how Google's custom methods are named.
    var customMethod: (path: [String], verb: String)? {
        guard let last = path.last, let colon = last.lastIndex(of: ":") else { return nil }
        return (path.dropLast() + [String(last[..<colon])], String(last[last.index(after: colon)...]))
    }

    private static func segments(_ path: Substring) throws(HubError) -> [String] {
        var segments: [String] = []
        for part in split(path, at: "/") where !part.isEmpty {
            guard let text = part.utf8.contains(UInt8(ascii: "%")) ? part.removingPercentEncoding : String(part),
                !text.utf8.contains(0)
            else {
                throw HubError.invalidArgument
            }
            segments.append(text)
        }
        return segments
    }

    /// The fields of a query or of a form (application/x-www-form-urlencoded); the last of several counts.
    static func fields(_ text: Substring) throws(HubError) -> [String: String] {
        var fields: [String: String] = [:]
        for pair in split(text, at: "&") where !pair.isEmpty {
            let parts = split(pair, at: "=", maxSplits: 1)
            guard let name = decoded(parts[0]), let value = parts.count > 1 ? decoded(parts[1]) : "" else {
                throw HubError.invalidArgument
            }
            fields[name] = value
        }
        return fields
    }

    private static func decoded(_ text: Substring) -> String? {
        // Most need nothing.
        guard text.utf8.contains(where: { $0 == UInt8(ascii: "+") || $0 == UInt8(ascii: "%") }) else {
            return String(text)
        }
        return text.replacingOccurrences(of: "+", with: " ").removingPercentEncoding
    }

    /// Splits at an ASCII character, byte by byte, which is many times as fast as by characters.
    private static func split(
        _ text: Substring,
        at separator: Unicode.Scalar,
        maxSplits: Int = .max
    ) -> [Substring] {
        text.utf8.split(
            separator: UInt8(ascii: separator),
            maxSplits: maxSplits,
            omittingEmptySubsequences: false
        ).map { Substring($0) }
    }
}

extension APIRequest {
    /// How long a body that is no file may take.
    private static let smallBodyTime = Duration.seconds(30)

    /// How many bytes a body that is no file may have.
    static let smallBodyLimit = 1 << 20

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
        guard Gzip.isCompressed(whole) else { return whole }
        guard let content = Gzip.inflated(whole, limit: limit) else {
            throw HubError(
                .invalidArgument,
                "The body is gzip that is damaged or has more than \(limit) bytes inside; send the JSON as it is."
            )
        }
        return content
    }

    /// The body as JSON.
    func json<Value: Decodable>(_ type: Value.Type) async throws -> Value {
        let buffer = try await smallBody()
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
