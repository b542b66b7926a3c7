import Foundation
import Hummingbird
import HummingbirdCore
import HummingbirdTLS
import Logging
import NIOCore
import ServiceLifecycle

/// A server of HTTP/1.1 with limits for its clients.
package struct HTTPService: Sendable {
    private let options: Options
    private let logger: Logger

    /// Creates a server.
    package init(options: Options, logger: Logger) {
        self.options = options
        self.logger = logger
    }

    /// The application for Hummingbird.
    ///
    /// - Parameters:
    ///   - responder: The routes, behind the middleware.
    ///   - encoderNeighbor: Makes a further handler for each connection, next to the encoder of responses, where bodies may
    ///     be regions of files.
    ///   - onStart: Called with the port when the server accepts connections.
    /// - Throws: ``ServiceError/unreadableCertificate(certificates:key:)``
    package func application(
        responder: some HTTPResponder<ServingContext>,
        encoderNeighbor: (@Sendable () -> any ChannelHandler)? = nil,
        onStart: @escaping @Sendable (Int) async -> Void
    ) throws(ServiceError) -> some ApplicationProtocol {
        let writeTimeout = TimeAmount(options.writeTimeout)
        let configuration = HTTP1Channel.Configuration(
            additionalChannelHandlers: [
                ConnectionHandlers(
                    writeTimeout: writeTimeout,
                    closesWithInput: options.dropsHalfClosedConnections,
                    encoderNeighbor: encoderNeighbor?()
                )
            ],
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
        var server = plain
        if let files = options.tls {
            do {
                server = try .tls(plain, tlsConfiguration: try files.configuration)
            } catch {
                throw .unreadableCertificate(certificates: files.certificates, key: files.key)
            }
        }
        return Application(
            responder: responder,
            server: server,
            configuration: ApplicationConfiguration(
                address: .hostname(options.host, port: options.port),
                availableConnectionsDelegate: .maximum(options.permittedConnections, logger: logger)
            ),
            onServerRunning: { channel in await onStart(channel.localAddress?.port ?? 0) },
            logger: logger
        )
    }

    /// Runs an application and further services until the process receives SIGTERM or Ctrl-C.
    ///
    /// - Throws: ``ServiceError/portInUse(_:)``, and the errors of the services.
    package func run(_ application: some ApplicationProtocol, with services: [any Service] = []) async throws {
        var configuration = ServiceGroupConfiguration(
            // Otherwise the library prints each service for its log, field by field.
            services: ([application] + services).map { .init(service: $0, serviceName: "\(type(of: $0))") },
            gracefulShutdownSignals: [.sigterm, .sigint],
            logger: logger
        )
        configuration.maximumGracefulShutdownDuration = options.shutdownTimeout
        do {
            try await ServiceGroup(configuration: configuration).run()
        } catch let error as IOError where error.errnoCode == EADDRINUSE {
            throw ServiceError.portInUse(options.port)
        }
    }
}

/// The reason why a server cannot start.
package enum ServiceError: Error, Sendable, Hashable {
    case portInUse(Int)
    case unreadableCertificate(certificates: String, key: String)
}

extension ServiceError: CustomStringConvertible, LocalizedError {
    /// The failure and the next step, in one sentence.
    package var description: String {
        switch self {
        case .portInUse(let port):
            "Another program uses the port \(port); end that program, or choose another port with --port."
        case .unreadableCertificate(let certificates, let key):
            "The certificate \(certificates) or the key \(key) cannot be read as PEM; check both files."
        }
    }

    /// The description.
    package var errorDescription: String? { description }
}
