import Foundation
import Hummingbird
import HummingbirdCore
import HummingbirdTLS
import Logging
import NIOCore
import ServiceLifecycle

/// The hub as a service: it accepts connections and performs housekeeping.
package struct HubServer: Sendable {
    /// The settings of a server.
    package struct Options: Sendable {
        /// The address to listen on; loopback by default.
        package var host = "127.0.0.1"
        /// The port; 0 for any free port.
        package var port = 8080
        /// The certificate and key files in PEM; nil for plain HTTP.
        package var tls: TLSFiles?
        /// The address by which clients reach the hub, if a proxy changes it; otherwise the text in `Host`.
        package var publicAddress: String?
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
        /// The bearer token for `/metrics`; nil if only this machine may read the metrics.
        package var metricsToken: Secret?
        /// The time for current requests to finish when the server stops.
        package var shutdownTimeout = Duration.seconds(30)

        /// Creates settings for plain HTTP on loopback.
        package init() {}

        /// The connections that the system's limit of open files permits.
        var permittedConnections: Int { FileDescriptorLimit.connections(atMost: maximumConnections) }

        /// The maximum number of apps that wait for live updates. The other connections are left for requests.
        var maximumLiveUpdates: Int { permittedConnections / 4 * 3 }

        /// Whether other machines can reach the hub without encryption.
        var isExposedWithoutTLS: Bool {
            let isLoopback = host == "localhost" || host == "::1" || host.hasPrefix("127.")
            return !isLoopback && tls == nil && !trustsProxy
        }
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
    }

    private let hub: Hub
    private let options: Options
    private let logger: Logger

    /// Creates a server for a hub.
    package init(_ hub: Hub, options: Options = Options(), logger: Logger = HubServer.makeLogger()) {
        self.hub = hub
        self.options = options
        self.logger = logger
    }

    /// A logger that writes lines of JSON to standard error.
    package static func makeLogger(level: Logger.Level = .info) -> Logger {
        var handler = JSONLogHandler()
        handler.logLevel = level
        return Logger(label: "sightline-hub") { _ in handler }
    }

    /// Serves until the process receives SIGTERM or Ctrl-C.
    ///
    /// - Parameter onStart: Called with the port when the server accepts connections.
    package func run(onStart: @escaping @Sendable (Int) async -> Void = { _ in }) async throws {
        FileDescriptorLimit.raise(forConnections: options.maximumConnections)
        try ConsoleTemplates.check()
        if options.isExposedWithoutTLS {
            logger.warning(
                "tokens and models are sent unencrypted to other machines; pass --certificates, or --trust-proxy behind a proxy that adds TLS",
                metadata: ["host": "\(options.host)"]
            )
        }
        hub.removeStagedFiles()
        try await hub.interruptEvaluations()
        let application = try makeApplication(onStart: onStart)
        var configuration = ServiceGroupConfiguration(
            services: [
                .init(service: application), .init(service: Housekeeping(hub: hub, logger: logger)),
                .init(service: DownloadCounting(hub: hub, logger: logger)),
                .init(service: EvaluationHeartbeat(hub: hub, logger: logger)),
                .init(service: EvaluationService(hub: hub, logger: logger)),
                .init(service: EvaluationStopService(hub: hub)), .init(service: LiveUpdateService(hub: hub)),
                .init(service: LiveUpdateStopService(hub: hub)),
            ],
            gracefulShutdownSignals: [.sigterm, .sigint],
            logger: logger
        )
        configuration.maximumGracefulShutdownDuration = options.shutdownTimeout
        do {
            try await ServiceGroup(configuration: configuration).run()
        } catch let error as IOError where error.errnoCode == EADDRINUSE {
            throw HubError(
                .failedPrecondition,
                "Another program uses the port \(options.port); end that program, or choose another port with --port."
            )
        }
    }

    /// The application for Hummingbird.
    package func makeApplication(
        onStart: @escaping @Sendable (Int) async -> Void = { _ in }
    ) throws -> some ApplicationProtocol {
        let sendings = options.tls == nil ? FileSendings() : nil
        let writeTimeout = TimeAmount(options.writeTimeout)
        let configuration = HTTP1Channel.Configuration(
            additionalChannelHandlers: [ConnectionHandlers(sendings: sendings, writeTimeout: writeTimeout)],
            idleTimeout: TimeAmount(options.idleTimeout),
            httpDecoderConfiguration: .init(
                maxHeaderFieldSize: 16 << 10,
                maxHeaderListSize: 32 << 10,
                maxHeaderFieldCount: 100
            )
        )
        let limit = options.trustsProxy ? nil : ConnectionLimit(maximum: options.maximumConnectionsPerClient)
        let plain = HTTPServerBuilder { responder in
            EventLoopHTTPChannel(base: HTTP1Channel(responder: responder, configuration: configuration), limit: limit)
        }
        let application = Application(
            responder: HubAPI(hub, server: options, sendings: sendings),
            server: try tlsConfiguration().map { try .tls(plain, tlsConfiguration: $0) } ?? plain,
            configuration: ApplicationConfiguration(
                address: .hostname(options.host, port: options.port),
                availableConnectionsDelegate: .maximum(options.permittedConnections, logger: logger)
            ),
            onServerRunning: { channel in await onStart(channel.localAddress?.port ?? 0) },
            logger: logger
        )
        return application
    }

    func tlsConfiguration() throws -> TLSConfiguration? {
        guard let files = options.tls else { return nil }
        do {
            var configuration = TLSConfiguration.makeServerConfiguration(
                certificateChain: try NIOSSLCertificate.fromPEMFile(files.certificates).map { .certificate($0) },
                privateKey: .privateKey(try NIOSSLPrivateKey(file: files.key, format: .pem))
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
        } catch {
            throw HubError(
                .invalidArgument,
                "The certificate \(files.certificates) or the key \(files.key) cannot be read as PEM; check both files."
            )
        }
    }
}

/// Removes unused files at the start, since a hub may restart more often than that, and every hour.
private struct Housekeeping: Service {
    let hub: Hub
    let logger: Logger

    func run() async throws {
        // Canceled when the server stops.
        try? await cancelWhenGracefulShutdown {
            while true {
                do {
                    _ = try await hub.records.withExclusiveLease {
                        let removed = try await BlockingExecutor.run {
                            try await hub.removeForgottenEvaluations()
                            return try await hub.cleanUp()
                        }
                        logger.info(
                            "cleaned up",
                            metadata: ["objects": "\(removed.objects)", "files": "\(removed.blobs)"]
                        )
                    }
                } catch is CancellationError {
                    return
                } catch {
                    logger.error("cannot clean up", metadata: ["reason": "\(error)"])
                }
                try await Task.sleep(for: .seconds(3600))
            }
        }
    }
}
