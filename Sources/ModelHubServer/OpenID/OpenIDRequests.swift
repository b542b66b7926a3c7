import AsyncHTTPClient
import Foundation
import HTTPServing
import NIOCore

/// Requests to an OpenID Connect provider: bounded in time and size, and never redirected.
enum OpenIDRequests {
    /// The largest answer. A token with ten thousand groups fits.
    private static let answerLimit = 1 << 20
    /// The time for a whole answer.
    private static let timeLimit = Duration.seconds(10)

    private static let client = {
        // A redirect could lead a secret, or a request of the hub, to another host.
        var configuration = HTTPClient.Configuration(redirectConfiguration: .disallow)
        configuration.timeout.connect = .seconds(5)
        configuration.timeout.read = .seconds(10)
        configuration.httpVersion = .http1Only
        configuration.decompression = .disabled
        return HTTPClient(eventLoopGroup: HTTPClient.defaultEventLoopGroup, configuration: configuration)
    }()

    /// A provider's answer.
    struct Answer: Sendable {
        var status: UInt
        var body: Data
    }

    /// Reads a document.
    static func get(_ address: String) async throws -> Answer {
        var request = HTTPClientRequest(url: address)
        request.headers.add(name: "accept", value: "application/json")
        return try await answer(to: request)
    }

    /// Sends a form.
    ///
    /// - Parameter authorization: The field `Authorization`; nil for none.
    static func post(_ form: [(String, String)], to address: String, authorization: Secret?) async throws -> Answer {
        var request = HTTPClientRequest(url: address)
        request.method = .POST
        request.headers.add(name: "accept", value: "application/json")
        request.headers.add(name: "content-type", value: "application/x-www-form-urlencoded")
        if let authorization { request.headers.add(name: "authorization", value: authorization.text) }
        request.body = .bytes(ByteBuffer(string: text(of: form)))
        return try await answer(to: request)
    }

    /// A form as text.
    static func text(of form: [(String, String)]) -> String {
        form.map { "\(Console.encoded($0))=\(Console.encoded($1))" }.joined(separator: "&")
    }

    private static func answer(to request: HTTPClientRequest) async throws -> Answer {
        let sent = request
        return try await Patience(limit: timeLimit, connection: nil).run {
            let response = try await client.execute(sent, timeout: TimeAmount(timeLimit))
            let body = try await response.body.collect(upTo: answerLimit)
            return Answer(status: response.status.code, body: Data(body.readableBytesView))
        }
    }
}
