#if !canImport(Network)
    import AsyncHTTPClient
    import Foundation
    import NIOCore
    import NIOSSL
    import SightlineLocks

    /// The HTTP clients of this process: one for each combination of settings, kept until the process ends.
    enum HTTPClients {
        private struct Settings: Hashable {
            var roots: String?
            var idleTimeout: TimeAmount
            var proxy: ProxyEnvironment.Proxy?
        }

        private static let clients = Mutex<[Settings: HTTPClient]>([:])

        /// The client for an address.
        ///
        /// - Parameters:
        ///   - roots: A PEM file of certificates to trust in addition to those of the system.
        ///   - idleTimeout: The longest time without data from the server.
        static func client(
            for url: URL,
            trusting roots: URL?,
            idleTimeout: TimeAmount = .seconds(60)
        ) throws(UnusableSettings) -> HTTPClient {
            var settings = Settings(roots: roots?.path, idleTimeout: idleTimeout)
            do {
                settings.proxy = try ProxyEnvironment().proxy(for: url)
            } catch {
                throw UnusableSettings(
                    reason: "the proxy \"\(error.text)\" in the environment is not an http:// address; correct it"
                )
            }
            if let client = clients.withLock({ $0[settings] }) { return client }
            let configuration = try configuration(for: settings)
            return clients.withLock { clients in
                // Another task may have been faster.
                if let client = clients[settings] { return client }
                let client = HTTPClient(eventLoopGroup: HTTPClient.defaultEventLoopGroup, configuration: configuration)
                clients[settings] = client
                return client
            }
        }

        /// Redirects are not followed: hubs send no redirects, and the API key belongs to this hub.
        private static func configuration(for settings: Settings) throws(UnusableSettings) -> HTTPClient.Configuration {
            var configuration = HTTPClient.Configuration(redirectConfiguration: .disallow)
            configuration.connectionPool.retryConnectionEstablishment = false
            configuration.timeout.connect = .seconds(15)
            // Applies before a response, and between two pieces of a response.
            configuration.timeout.read = settings.idleTimeout
            configuration.httpVersion = .http1Only
            if let roots = settings.roots {
                let certificates = (try? NIOSSLCertificate.fromPEMFile(roots)) ?? []
                guard !certificates.isEmpty else {
                    throw UnusableSettings(
                        reason: "the trusted certificates \(roots) cannot be read as PEM; check the file"
                    )
                }
                var security = TLSConfiguration.makeClientConfiguration()
                security.additionalTrustRoots = [.certificates(certificates)]
                configuration.tlsConfiguration = security
            }
            if let proxy = settings.proxy {
                let login = proxy.user.map {
                    HTTPClient.Authorization.basic(username: $0, password: proxy.password ?? "")
                }
                configuration.proxy = .server(host: proxy.host, port: proxy.port, authorization: login)
            }
            return configuration
        }
    }
#endif
