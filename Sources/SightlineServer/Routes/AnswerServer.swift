import HTTPServing
import Hummingbird
import Logging
import ServiceLifecycle

/// A service of answers on a port.
package struct AnswerServer: Sendable {
    private let service: AnswerService
    private let options: HTTPService.Options
    private let token: Secret?
    private let followers: [any Service]

    /// Creates a server.
    ///
    /// - Parameters:
    ///   - options: the address and the limits of connections.
    ///   - token: the token that requests need; nil if everybody may ask.
    ///   - followers: keep the models of hubs up to date while the server runs.
    package init(
        _ service: AnswerService,
        options: HTTPService.Options = HTTPService.Options(),
        token: Secret? = nil,
        followers: [any Service] = []
    ) {
        (self.service, self.token, self.followers) = (service, token, followers)
        var options = options
        // The queue is the limit: a back end may send as many pictures a second as the server can answer.
        options.rateLimit = nil
        options.dropsHalfClosedConnections = true
        self.options = options
    }

    /// Serves until the process receives SIGTERM or Ctrl-C, then finishes the requests under way.
    ///
    /// - Parameter onStart: called with the port when the server accepts connections.
    /// - Throws: `ServiceError`.
    package func run(onStart: @escaping @Sendable (Int) async -> Void = { _ in }) async throws {
        FileDescriptorLimit.raise(forConnections: options.maximumConnections)
        let logger = service.metrics.logger
        if options.isExposedWithoutTLS {
            logger.warning(
                "pictures and answers are sent unencrypted to other machines; pass --certificates and --key, or --trust-proxy behind a proxy that adds TLS",
                metadata: ["host": "\(options.host)"]
            )
        }
        if options.isReachableFromElsewhere, token == nil {
            logger.warning(
                "every program that reaches the server may ask; pass --token-file to prevent that",
                metadata: ["host": "\(options.host)"]
            )
        }
        try await HTTPService(options: options, logger: logger).run(
            try makeApplication(onStart: onStart),
            with: followers
        )
    }

    /// The application for Hummingbird.
    package func makeApplication(
        onStart: @escaping @Sendable (Int) async -> Void = { _ in }
    ) throws(ServiceError) -> some ApplicationProtocol {
        try HTTPService(options: options, logger: service.metrics.logger).application(
            responder: AnswerAPI(service, server: options, token: token),
            onStart: onStart
        )
    }
}
