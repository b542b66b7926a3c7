import Foundation
import Hummingbird
import HummingbirdCore
import HummingbirdTLS
import Logging
import NIOCore
import ServiceLifecycle

/// The hub as a service: connections in, answers out, and housekeeping beside it.
public struct HubServer: Sendable {
    /// How it is reached and what it takes.
    public struct Options: Sendable {
        /// The address that it listens at; loopback unless told otherwise.
        public var host = "127.0.0.1"
        /// The port; 0 for any that is free.
        public var port = 8080
        /// Certificates and key as PEM files; nil for plain HTTP.
        public var tls: TLSFiles?
        /// The address that clients reach it at, if a proxy changes that; otherwise what they say in `Host`.
        public var publicAddress: String?
        /// Whether a proxy's `X-Forwarded-For`, `-Proto` and `-Host` are believed.
        public var trustsProxy = false
        /// Requests in a second from one IPv4 address, or from one /64 of IPv6; nil for no limit. Four times as many at once.
        public var rateLimit: Double? = 200
        /// Connections at once. There are fewer if the system lets the process open few files.
        public var maximumConnections = 2048
        /// Connections at once from one IPv4 address, or from one /64 of IPv6; no limit with a trusted proxy, from which all
        /// connections come.
        public var maximumConnectionsPerClient = 128
        /// A connection that says nothing for so long is closed.
        public var idleTimeout = Duration.seconds(30)
        /// A connection whose client takes nothing of an answer for so long is closed.
        public var writeTimeout = Duration.seconds(60)
        /// The bearer token that `/metrics` wants; nil if anybody may see the metrics.
        public var metricsToken: String?
        /// How long requests that are under way may take when the server is told to stop.
        public var shutdownTimeout = Duration.seconds(30)

        /// Plain HTTP on loopback.
        public init() {}

        /// Whether other machines reach it, and those between can read what is sent.
        var isExposedWithoutTLS: Bool {
            let isLoopback = host == "localhost" || host == "::1" || host.hasPrefix("127.")
            return !isLoopback && tls == nil && !trustsProxy
        }
    }

    /// Where certificates and key lie.
    public struct TLSFiles: Sendable {
        /// The certificate and those up to the root, in PEM.
        public var certificates: String
        /// The private key in PEM.
        public var key: String

        /// Two files.
        public init(certificates: String, key: String) {
            self.certificates = certificates
            self.key = key
        }
    }

    private let hub: Hub
    private let options: Options
    private let logger: Logger

    /// A server of a hub.
    public init(_ hub: Hub, options: Options = Options(), logger: Logger = HubServer.makeLogger()) {
        self.hub = hub
        self.options = options
        self.logger = logger
    }

    /// A logger that writes lines of JSON on standard error.
    public static func makeLogger(level: Logger.Level = .info) -> Logger {
        var handler = JSONLogHandler()
        handler.logLevel = level
        return Logger(label: "sightline-hub") { _ in handler }
    }

    /// Serves until the process is told to stop, by SIGTERM or Ctrl-C.
    ///
    /// - Parameter onStart: called with the port once connections are taken.
    public func run(onStart: @escaping @Sendable (Int) async -> Void = { _ in }) async throws {
        FileDescriptorLimit.raise(forConnections: options.maximumConnections)
        try ConsoleTemplates.check()
        if options.isExposedWithoutTLS {
            logger.warning(
                "tokens and models are sent unencrypted to other machines; give --certificates, or --trust-proxy behind a proxy that adds TLS",
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
                .init(service: EvaluationStopping(hub: hub)),
            ],
            gracefulShutdownSignals: [.sigterm, .sigint],
            logger: logger
        )
        configuration.maximumGracefulShutdownDuration = options.shutdownTimeout
        try await ServiceGroup(configuration: configuration).run()
    }

    /// What Hummingbird runs.
    package func makeApplication(
        onStart: @escaping @Sendable (Int) async -> Void = { _ in }
    ) throws -> some ApplicationProtocol {
        let sendings = options.tls == nil ? FileSendings() : nil
        let api = HubAPI(
            hub: hub,
            sessions: UploadSessions(hub),
            operations: OperationLog(),
            files: FileResponder(sendings: sendings),
            metrics: HubMetrics(),
            limiter: options.rateLimit.map { RateLimiter<ClientNetwork>(rate: $0, burst: max($0 * 4, 10)) },
            publicAddress: options.publicAddress,
            metricsToken: options.metricsToken
        )
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
            responder: HubResponder(api: api, options: options),
            server: try tlsConfiguration().map { try .tls(plain, tlsConfiguration: $0) } ?? plain,
            configuration: ApplicationConfiguration(
                address: .hostname(options.host, port: options.port),
                availableConnectionsDelegate: .maximum(
                    FileDescriptorLimit.connections(atMost: options.maximumConnections),
                    logger: logger
                )
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
            // Of TLS 1.2 those with forward secrecy and authenticated encryption (RFC 9325, section 4.2).
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

/// Cleans up every hour.
private struct Housekeeping: Service {
    let hub: Hub
    let logger: Logger

    func run() async throws {
        // Cancelled when the server is told to stop.
        try? await cancelWhenGracefulShutdown {
            while true {
                try await Task.sleep(for: .seconds(3600))
                do {
                    let removed = try await BlockingExecutor.run {
                        try await hub.removeForgottenEvaluations()
                        return try await hub.cleanUp()
                    }
                    logger.info("cleaned up", metadata: ["objects": "\(removed.objects)", "files": "\(removed.blobs)"])
                } catch is CancellationError {
                    return
                } catch {
                    logger.error("cannot clean up", metadata: ["reason": "\(error)"])
                }
            }
        }
    }
}
