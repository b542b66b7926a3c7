import DurableFiles
import Foundation
import ModelHubProtocol
import TextFormatting
import WebTransfer

/// Posts events to an address of the web: an array of up to 100 events as JSON.
///
/// With a secret, a request has the header `Sightline-Signature`, so that the receiver knows its sender: `t=UNIX,v1=HEX`, where `HEX` is
/// the HMAC-SHA256 of the time, a period, and the body. An answer of 2xx accepts the events. After 408, 429 and 5xx, and where there is
/// no answer, the transport sends the same events again. 400, 413 and 422 refuse events of the request, so that they come in smaller
/// requests. Any other answer refuses them. The request follows no redirects.
public struct WebhookTransport: EventTransport {
    private let address: String
    private let secret: String?
    private let isSecure: Bool
    private let isLocal: Bool
    private let timeout: Duration
    private let now: @Sendable () -> Date
    /// Requests block their thread.
    private let requests = FileQueue()

    /// The scheme and the host of the address, since its path and query may be secret.
    public let destination: String

    /// Creates a transport.
    ///
    /// - Parameters:
    ///   - address: an address that begins with https:// or http://. A receiver notices a change on the way if there is a secret, but
    ///     http does not hide events.
    ///   - secret: the secret with which requests are signed; nil for requests without a signature.
    ///   - timeout: the time in which the receiver has to answer.
    /// - Throws: `EventError.invalidAddress`; `.unavailable` if libcurl cannot be used.
    public init(_ address: String, secret: String? = nil, timeout: Duration = .seconds(20)) throws(EventError) {
        let parts = URLComponents(string: address)
        let scheme = parts?.scheme?.lowercased()
        let shown = Self.shown(parts)
        guard let parts, let host = parts.host, !host.isEmpty, address.utf8.allSatisfy({ (0x21...0x7E).contains($0) })
        else { throw .invalidAddress(shown, reason: "it is not of the form https://host/path") }
        guard scheme == "https" || scheme == "http" else {
            throw .invalidAddress(shown, reason: "it begins neither with https:// nor with http://")
        }
        guard parts.user == nil, parts.password == nil else {
            throw .invalidAddress(shown, reason: "it contains a user, which other users of the machine can see")
        }
        if let problem = HTTPTransfer.problem { throw .unavailable(reason: problem, package: "libcurl4") }
        self.address = address
        self.secret = secret
        self.timeout = timeout
        isSecure = scheme == "https"
        isLocal = HTTPRequest.isLoopback(host)
        destination = shown
        now = { Date() }
    }

    /// The scheme, the host and the port of an address.
    private static func shown(_ parts: URLComponents?) -> String {
        guard let parts, let scheme = parts.scheme, let host = parts.host else { return "The address of the webhook" }
        return "\(scheme)://\(host)" + (parts.port.map { ":\($0)" } ?? "")
    }

    /// Posts events, and returns when the receiver has accepted them.
    public func deliver(_ events: [CameraEvent]) async throws(EventError) {
        var json = JSONText()
        json.array(events) { $0.event($1) }
        let body = Array(json.text.utf8)
        // libcurl would wait a second for an answer to Expect.
        var headers = ["Content-Type: application/json", "Expect:"]
        if let secret {
            let signature = WebhookSignature(of: body, secret: secret, date: now())
            headers.append("\(WebhookSignature.header): \(signature.text)")
        }
        let request = HTTPRequest(
            address,
            isSecure: isSecure,
            isLocal: isLocal,
            headers: headers,
            body: body,
            timeout: timeout
        )
        try check(await requests.run { () throws(Never) in Self.send(request) })
    }

    private static func send(_ request: HTTPRequest) -> HTTPTransfer.End {
        var count = 0
        do throws(TooLong) {
            return try HTTPTransfer.send(request) { (_, bytes) throws(TooLong) in
                count += bytes.count
                if count > longestAnswer { throw TooLong() }
            }
        } catch {
            return .failed(HTTPHead(), reason: "its answer has more than \(longestAnswer) bytes")
        }
    }

    /// The largest number of bytes of an answer, which is not used.
    private static let longestAnswer = 1 << 20

    private struct TooLong: Error {}

    /// The statuses that concern the events of a request, and not its sender or its address.
    private static let statusesOfBodies: Set = [400, 413, 422]

    private func check(_ end: HTTPTransfer.End) throws(EventError) {
        switch end {
        case .complete(let head) where (200..<300).contains(head.status): return
        case .complete(let head) where [408, 429].contains(head.status) || (500..<600).contains(head.status):
            throw .unreachable(
                destination: destination,
                reason: "it answered with status \(head.status)",
                retryAfter: RetryAfter.duration(head.fields["retry-after"])
            )
        case .complete(let head):
            throw .refused(
                destination: destination,
                reason: "it answered with status \(head.status)",
                mayAcceptFewer: Self.statusesOfBodies.contains(head.status)
            )
        case .redirect(let head, _):
            throw .refused(
                destination: destination,
                reason: "it answered with status \(head.status), a redirect, which a webhook does not follow"
            )
        case .failed(_, let reason), .unavailable(let reason):
            throw .unreachable(destination: destination, reason: reason)
        }
    }
}
