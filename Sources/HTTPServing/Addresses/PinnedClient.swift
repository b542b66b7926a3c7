import AsyncHTTPClient
import NIOCore

/// HTTP clients for addresses that somebody else chose.
///
/// The connection goes to an address that was checked, whatever the host's name stands for a moment later, and follows no redirect, so that
/// nobody reaches the network behind the server through it.
package enum PinnedClient {
    /// Why a server does not connect to a host.
    package enum Refusal: Error {
        case unknownHost, privateNetwork
    }

    /// Calls `body` with a client that connects to one host, and closes the client afterward.
    ///
    /// - Parameters:
    ///   - host: The host, as the request's address has it.
    ///   - right: The addresses that the host may have.
    ///   - owner: The project or person that chose the host, whose look-ups of names take turns with those of others; nil for the server itself.
    ///   - lookUps: Looks up the host's name.
    /// - Throws: ``Refusal`` or ``NameLookUps/Failure`` before a connection; what `body` throws.
    package static func with<Output: Sendable>(
        _ host: String,
        _ right: AllowedHosts.Right,
        for owner: String?,
        lookUps: NameLookUps = .shared,
        _ body: (HTTPClient) async throws -> Output
    ) async throws -> Output {
        let found = try await lookUps.addresses(of: host, for: owner)
        guard let first = found.first else { throw Refusal.unknownHost }
        // One private address among public ones is a trap, too.
        guard right == .anyAddress || found.allSatisfy(\.isPublic) else { throw Refusal.privateNetwork }
        var configuration = HTTPClient.Configuration(redirectConfiguration: .disallow)
        configuration.dnsOverride = [host: first.text]
        configuration.timeout.connect = .seconds(5)
        configuration.timeout.read = .seconds(10)
        configuration.httpVersion = .http1Only
        configuration.decompression = .disabled
        let client = HTTPClient(eventLoopGroup: HTTPClient.defaultEventLoopGroup, configuration: configuration)
        let result: Result<Output, any Error>
        do {
            result = .success(try await body(client))
        } catch {
            result = .failure(error)
        }
        try? await client.shutdown()
        return try result.get()
    }
}
