import HummingbirdTLS

extension HTTPService {
    /// The settings of a server.
    package struct Options: Sendable {
        /// The address to listen on; loopback by default.
        package var host = "127.0.0.1"
        /// The port; 0 for any free port.
        package var port = 8080
        /// The certificate and key files in PEM; nil for plain HTTP.
        package var tls: TLSFiles?
        /// The address by which clients reach the server, if a proxy changes it; otherwise the text in `Host`.
        package var publicAddress: String?
        /// Names by which clients reach a server on loopback, besides those of loopback itself.
        package var names: [String] = []
        /// Whether to trust a proxy's `X-Forwarded-For`, `-Proto` and `-Host`.
        package var trustsProxy = false
        /// The maximum number of requests per second from an IPv4 address, or from a /64 network of IPv6; nil for no
        /// limit. Bursts may have four times as many.
        package var rateLimit: Double? = 200
        /// The maximum number of connections. It is lower if the system limits the process to few open files.
        package var maximumConnections = 2048
        /// The maximum number of connections from an IPv4 address, or from a /64 network of IPv6. There is no limit
        /// with a trusted proxy, because all connections come from it.
        package var maximumConnectionsPerClient = 128
        /// The time after which an idle connection is closed.
        package var idleTimeout = Duration.seconds(30)
        /// The time after which a connection is closed if its client accepts no bytes of a response.
        package var writeTimeout = Duration.seconds(60)
        /// Whether a connection closes when its client closes its side, as a client does that no longer waits for the response. Otherwise
        /// the response is still sent.
        package var dropsHalfClosedConnections = false
        /// The bearer token for `/metrics`; nil if only this machine may read the metrics.
        package var metricsToken: Secret?
        /// The time for current requests to finish when the server stops.
        package var shutdownTimeout = Duration.seconds(30)

        /// Creates settings for plain HTTP on loopback.
        package init() {}

        /// The connections that the system's limit of open files permits.
        package var permittedConnections: Int { FileDescriptorLimit.connections(atMost: maximumConnections) }

        /// Whether other machines can reach the server.
        package var isReachableFromElsewhere: Bool {
            !(host == "localhost" || host == "::1" || host.hasPrefix("127."))
        }

        /// Whether other machines can reach the server without encryption.
        package var isExposedWithoutTLS: Bool { isReachableFromElsewhere && tls == nil && !trustsProxy }
    }

    /// The paths of the certificates and the key.
    package struct TLSFiles: Sendable {
        /// The certificate chain in PEM.
        package var certificates: String
        /// The private key in PEM.
        package var key: String

        /// Creates the paths.
        package init(certificates: String, key: String) {
            self.certificates = certificates
            self.key = key
        }

        /// TLS from version 1.2 on with the contents of the files.
        var configuration: TLSConfiguration {
            get throws {
                var configuration = TLSConfiguration.makeServerConfiguration(
                    certificateChain: try NIOSSLCertificate.fromPEMFile(certificates).map { .certificate($0) },
                    privateKey: .privateKey(try NIOSSLPrivateKey(file: key, format: .pem))
                )
                configuration.minimumTLSVersion = .tlsv12
                // For TLS 1.2, only cipher suites with forward secrecy and authenticated encryption (RFC 9325, section
                // 4.2).
                configuration.cipherSuiteValues = [
                    .TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256, .TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256,
                    .TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384, .TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384,
                    .TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305_SHA256, .TLS_ECDHE_RSA_WITH_CHACHA20_POLY1305_SHA256,
                ]
                return configuration
            }
        }
    }
}
