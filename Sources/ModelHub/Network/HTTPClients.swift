import AsyncHTTPClient
import Foundation
import NIOCore
import NIOSSL
import Synchronization

/// The HTTP clients of this process: one for each way to hubs, kept until it ends, since ways are few.
package enum HTTPClients {
    private struct Way: Hashable {
        var roots: String?
        var patience: TimeAmount
        var proxy: ProxyEnvironment.Proxy?
    }

    private static let clients = Mutex<[Way: HTTPClient]>([:])

    /// Why no request can be sent, in words.
    package struct Unusable: Error {
        package let reason: String
    }

    /// The client for an address.
    ///
    /// - Parameters:
    ///   - roots: a PEM file of certificates that are trusted besides those of the system.
    ///   - patience: how long the server may say nothing.
    package static func client(
        for url: URL,
        trusting roots: URL?,
        patience: TimeAmount = .seconds(60)
    ) throws(Unusable) -> HTTPClient {
        var way = Way(roots: roots?.path, patience: patience)
        do {
            way.proxy = try ProxyEnvironment().proxy(for: url)
        } catch {
            throw Unusable(reason: "the proxy \"\(error.text)\" of the environment is no http:// address; correct it")
        }
        if let client = clients.withLock({ $0[way] }) { return client }
        let configuration = try configuration(for: way)
        return clients.withLock { clients in
            // Another may have been quicker.
            if let client = clients[way] { return client }
            let client = HTTPClient(eventLoopGroup: HTTPClient.defaultEventLoopGroup, configuration: configuration)
            clients[way] = client
            return client
        }
    }

    /// Redirects are not followed: no hub sends any, and the API key belongs to this hub.
    private static func configuration(for way: Way) throws(Unusable) -> HTTPClient.Configuration {
        var configuration = HTTPClient.Configuration(redirectConfiguration: .disallow)
        configuration.connectionPool.retryConnectionEstablishment = false
        configuration.timeout.connect = .seconds(15)
        // Before an answer, and between two pieces of one.
        configuration.timeout.read = way.patience
        configuration.httpVersion = .http1Only
        if let roots = way.roots {
            let certificates = (try? NIOSSLCertificate.fromPEMFile(roots)) ?? []
            guard !certificates.isEmpty else {
                throw Unusable(reason: "the trusted certificates \(roots) cannot be read as PEM; check the file")
            }
            var security = TLSConfiguration.makeClientConfiguration()
            security.additionalTrustRoots = [.certificates(certificates)]
            configuration.tlsConfiguration = security
        }
        if let proxy = way.proxy {
            let login = proxy.user.map {
                HTTPClient.Authorization.basic(username: $0, password: proxy.password ?? "")
            }
            configuration.proxy = .server(host: proxy.host, port: proxy.port, authorization: login)
        }
        return configuration
    }
}
