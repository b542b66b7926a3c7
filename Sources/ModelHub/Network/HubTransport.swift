import AsyncHTTPClient
import Foundation
import ModelHubProtocol
import NIOCore
import NIOHTTP1

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
        package var headers: HTTPHeaders
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
    private let patience: TimeAmount

    /// Creates a transport.
    ///
    /// - Parameters:
    ///   - trustedRoots: A PEM file of certificates to trust in addition to those of the system.
    ///   - patience: The longest time without data from the hub.
    package init(hub: URL, credentials: Credentials, trusting trustedRoots: URL?, patience: TimeAmount = .seconds(60)) {
        let text = hub.absoluteString
        base = text.hasSuffix("/") ? String(text.dropLast()) : text
        self.credentials = credentials
        self.trustedRoots = trustedRoots
        self.patience = patience
    }

    /// Sends a request to a path of the hub, with the credentials, and returns a response with any status.
    ///
    /// - Parameter limit: The largest body of a response in bytes.
    package func send(
        _ method: HTTPMethod,
        _ path: String,
        headers: HTTPHeaders = [:],
        body: Data? = nil,
        upTo limit: Int
    ) async throws(HubFailure) -> Reply {
        let response = try await open(method, path, headers: headers, body: body, timeout: patience)
        return try await reply(to: response, upTo: limit)
    }

    /// Sends a request to a path of the hub, with the credentials, and returns the response before its body has arrived.
    ///
    /// - Parameter timeout: The longest time until the body ends.
    func open(
        _ method: HTTPMethod,
        _ path: String,
        headers: HTTPHeaders = [:],
        body: Data? = nil,
        timeout: TimeAmount
    ) async throws(HubFailure) -> HTTPClientResponse {
        var request = HTTPClientRequest(url: base + path)
        request.method = method
        request.headers = headers
        switch credentials {
        case .app(let key, let bundleID):
            request.headers.add(name: HubHeader.apiKey, value: key)
            if let bundleID { request.headers.add(name: HubHeader.bundleID, value: bundleID) }
        case .token(let token):
            request.headers.add(name: "authorization", value: "Bearer \(token)")
        case .anonymous: break
        }
        if let body { request.body = .bytes(body) }
        return try await execute(request, timeout: timeout)
    }

    /// Sends a request without credentials, and returns the response before its body has arrived.
    func execute(_ request: HTTPClientRequest, timeout: TimeAmount) async throws(HubFailure) -> HTTPClientResponse {
        guard let url = URL(string: request.url), let scheme = url.scheme?.lowercased(),
            ["http", "https"].contains(scheme)
        else { throw .invalidReply(reason: "\(Self.bare(request.url)) is not an http or https address") }
        let client: HTTPClient
        do throws(HTTPClients.Unusable) {
            client = try HTTPClients.client(for: url, trusting: trustedRoots, patience: patience)
        } catch {
            throw .unusable(reason: error.reason)
        }
        do {
            return try await client.execute(request, timeout: timeout)
        } catch {
            throw failure(error)
        }
    }

    /// The whole body of a response.
    func reply(to response: HTTPClientResponse, upTo limit: Int) async throws(HubFailure) -> Reply {
        do {
            let buffer = try await response.body.collect(upTo: limit)
            return Reply(
                status: Int(response.status.code),
                headers: response.headers,
                body: Data(buffer.readableBytesView)
            )
        } catch is NIOTooManyBytesError {
            throw .invalidReply(reason: "it is longer than \(limit) bytes")
        } catch {
            throw failure(error)
        }
    }

    /// The failure of a connection.
    func failure(_ error: any Error) -> HubFailure {
        if Task.isCancelled { return .cancelled }
        return .unreachable(
            reason: "the hub \(base) cannot be reached (\(error)); check its address and the network"
        )
    }

    /// An address without its query, which contains a signature.
    private static func bare(_ address: String) -> Substring { address.prefix { $0 != "?" }.prefix(200) }
}
