import Foundation
import ModelHubProtocol

/// Sends requests to a hub, for apps and for commands: with their credentials, through the proxy of the environment, and
/// with the trusted roots of the hub.
package struct HubTransport: Sendable {
    /// The sender of requests.
    package enum Credentials: Sendable, Hashable {
        case app(key: String, bundleID: String?)
        case token(String)
        case anonymous
    }

    /// A response with its whole body.
    package struct Reply: Sendable {
        package var status: Int
        package var headers: HeaderFields
        package var body: Data

        /// The response as a failure.
        package var failure: HubFailure {
            .refused(
                status: status,
                message: ErrorBody.message(in: body),
                retryAfter: RetryAfter.duration(headers.first(name: "retry-after"))
            )
        }
    }

    /// The hub's address without a trailing slash.
    package let base: String
    private let credentials: Credentials
    private let trustedRoots: URL?
    private let idleTimeout: Duration

    /// Creates a transport.
    ///
    /// - Parameters:
    ///   - trustedRoots: A PEM file of certificates to trust in addition to those of the system.
    ///   - idleTimeout: The longest time without data from the hub.
    package init(hub: URL, credentials: Credentials, trusting trustedRoots: URL?, idleTimeout: Duration = .seconds(60))
    {
        let text = hub.absoluteString
        base = text.hasSuffix("/") ? String(text.dropLast()) : text
        self.credentials = credentials
        self.trustedRoots = trustedRoots
        self.idleTimeout = idleTimeout
    }

    /// Sends a request to a path of the hub, with the credentials, and returns a response with any status.
    ///
    /// - Parameter limit: The largest body of a response in bytes.
    package func send(
        _ method: HubMethod,
        _ path: String,
        headers: HeaderFields = [:],
        body: Data? = nil,
        upTo limit: Int
    ) async throws(HubFailure) -> Reply {
        let response = try await open(method, path, headers: headers, body: body, timeout: idleTimeout)
        return try await reply(to: response, upTo: limit)
    }

    /// Sends a request to a path of the hub, with the credentials, and returns the response before its body has arrived.
    ///
    /// - Parameter timeout: The longest time until the body ends.
    func open(
        _ method: HubMethod,
        _ path: String,
        headers: HeaderFields = [:],
        body: Data? = nil,
        timeout: Duration
    ) async throws(HubFailure) -> HubExchange {
        let address = base + path
        var fields = headers
        switch credentials {
        case .app(let key, let bundleID):
            fields.add(name: HubHeader.apiKey, value: key)
            if let bundleID { fields.add(name: HubHeader.bundleID, value: bundleID) }
        case .token(let token):
            fields.add(name: "authorization", value: "Bearer \(token)")
        case .anonymous: break
        }
        let request = HubRequest(method: method, url: try url(address), headers: fields, body: body)
        return try await execute(request, timeout: timeout)
    }

    /// Checks an address, which may come from a hub.
    func url(_ address: String) throws(HubFailure) -> URL {
        guard let url = URL(string: address), let scheme = url.scheme?.lowercased(),
            ["http", "https"].contains(scheme)
        else { throw .invalidReply(reason: "\(Self.bare(address)) is not an http or https address") }
        return url
    }

    /// Sends a request without credentials, and returns the response before its body has arrived.
    func execute(_ request: HubRequest, timeout: Duration) async throws(HubFailure) -> HubExchange {
        do {
            return try await HubExchange.open(
                request,
                trusting: trustedRoots,
                idleTimeout: idleTimeout,
                timeout: timeout
            )
        } catch let error as UnusableSettings {
            throw .unusable(reason: error.reason)
        } catch {
            throw failure(error)
        }
    }

    /// The whole body of a response.
    func reply(to exchange: HubExchange, upTo limit: Int) async throws(HubFailure) -> Reply {
        var body = Data()
        var pieces = exchange.pieces()
        while let piece = try await next(&pieces) {
            let isTooLong = piece.withUnsafeBytes { bytes in
                guard body.count + bytes.count <= limit else { return true }
                body.append(contentsOf: bytes)
                return false
            }
            if isTooLong { throw .invalidReply(reason: "it is longer than \(limit) bytes") }
        }
        return Reply(status: exchange.status, headers: exchange.headers, body: body)
    }

    /// The next bytes of a body; nil at its end.
    func next(
        _ pieces: inout HubExchange.Pieces,
        isolation: isolated (any Actor)? = #isolation
    ) async throws(HubFailure) -> HubPiece? {
        do { return try await pieces.next(isolation: isolation) } catch { throw failure(error) }
    }

    /// The failure of a connection.
    func failure(_ error: any Error) -> HubFailure {
        if Task.isCancelled { return .cancelled }
        return .unreachable(
            reason:
                "the hub \(base) cannot be reached (\(ConnectionFailure.reason(error))); check its address and the network"
        )
    }

    /// An address without its query, which contains a signature.
    private static func bare(_ address: String) -> Substring { address.prefix { $0 != "?" }.prefix(200) }
}
