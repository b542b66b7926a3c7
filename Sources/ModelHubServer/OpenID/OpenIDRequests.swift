import AsyncHTTPClient
import Foundation
import HTTPServing
import NIOCore

/// Requests to an OpenID Connect provider: bounded in time and size, and never redirected.
struct OpenIDRequests: Sendable {
    /// The provider's host, as the operator named it.
    let issuerHost: String

    /// The largest answer. A token with ten thousand groups fits.
    private static let answerLimit = 1 << 20
    /// The time for a whole answer.
    private static let timeLimit = Duration.seconds(10)

    /// A provider's answer.
    struct Answer: Sendable {
        var status: UInt
        var body: Data
    }

    /// Reads a document.
    ///
    /// - Parameter authorization: The field `Authorization`; nil for none.
    func get(_ address: String, authorization: Secret? = nil) async throws -> Answer {
        var request = HTTPClientRequest(url: address)
        request.headers.add(name: "accept", value: "application/json")
        if let authorization { request.headers.add(name: "authorization", value: authorization.text) }
        return try await answer(to: request)
    }

    /// Sends a form.
    ///
    /// - Parameter authorization: The field `Authorization`; nil for none.
    func post(_ form: [(String, String)], to address: String, authorization: Secret?) async throws -> Answer {
        var request = HTTPClientRequest(url: address)
        request.method = .POST
        request.headers.add(name: "accept", value: "application/json")
        request.headers.add(name: "content-type", value: "application/x-www-form-urlencoded")
        if let authorization { request.headers.add(name: "authorization", value: authorization.text) }
        request.body = .bytes(ByteBuffer(string: Self.text(of: form)))
        return try await answer(to: request)
    }

    /// A form as text.
    static func text(of form: [(String, String)]) -> String {
        form.map { "\(Console.encoded($0))=\(Console.encoded($1))" }.joined(separator: "&")
    }

    private func answer(to request: HTTPClientRequest) async throws -> Answer {
        let sent = request
        return try await Patience(limit: Self.timeLimit, connection: nil).run {
            let host = URL(string: sent.url)?.host(percentEncoded: false) ?? ""
            return try await PinnedClient.with(host, try await right(of: host), for: nil) { client in
                let response = try await client.execute(sent, timeout: TimeAmount(Self.timeLimit))
                let body = try await response.body.collect(upTo: Self.answerLimit)
                return Answer(status: response.status.code, body: Data(body.readableBytesView))
            }
        }
    }

    /// The addresses that a host may have. A provider on the Internet cannot lead the hub into the network behind it; a provider in that
    /// network is there already.
    private func right(of host: String) async throws -> AllowedHosts.Right {
        if host.lowercased() == issuerHost.lowercased() { return .anyAddress }
        let issuer = try await NameLookUps.shared.addresses(of: issuerHost, for: nil)
        return issuer.contains { !$0.isPublic } ? .anyAddress : .publicAddress
    }
}
