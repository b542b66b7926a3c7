import HTTPServing
import Hummingbird
import Logging
import NIOCore
import ServiceLifecycle

/// The hub as a service: it accepts connections and performs housekeeping.
package struct HubServer: Sendable {
    private let hub: Hub
    private let options: HTTPService.Options
    private let logger: Logger

    /// Creates a server for a hub.
    package init(
        _ hub: Hub,
        options: HTTPService.Options = HTTPService.Options(),
        logger: Logger = HubServer.makeLogger()
    ) {
        self.hub = hub
        self.options = options
        self.logger = logger
    }

    /// A logger that writes lines of JSON to standard error.
    package static func makeLogger(level: Logger.Level = .info) -> Logger {
        Logger(label: "sightline-hub") { _ in JSONLogHandler(level: level) }
    }

    /// Serves until the process receives SIGTERM or Ctrl-C.
    ///
    /// - Parameter onStart: Called with the port when the server accepts connections.
    package func run(onStart: @escaping @Sendable (Int) async -> Void = { _ in }) async throws {
        FileDescriptorLimit.raise(forConnections: options.maximumConnections)
        if options.isExposedWithoutTLS {
            logger.warning(
                "tokens and models are sent unencrypted to other machines; pass --certificates, or --trust-proxy behind a proxy that adds TLS",
                metadata: ["host": "\(options.host)"]
            )
        }
        hub.removeStagedFiles()
        try await hub.interruptEvaluations()
        let application = try makeApplication(onStart: onStart)
        try await HTTPService(options: options, logger: logger).run(
            application,
            with: [
                Housekeeping(hub: hub, logger: logger), DownloadCounting(hub: hub, logger: logger),
                EvaluationHeartbeat(hub: hub, logger: logger), EvaluationService(hub: hub, logger: logger),
                EvaluationStopService(hub: hub), RolloutService(hub: hub, logger: logger),
                WebhookService(hub: hub, logger: logger), LiveUpdateService(hub: hub),
                LiveUpdateStopService(hub: hub),
            ]
        )
    }

    /// The application for Hummingbird.
    package func makeApplication(
        onStart: @escaping @Sendable (Int) async -> Void = { _ in }
    ) throws -> some ApplicationProtocol {
        let sendings = options.tls == nil ? FileSendings() : nil
        var sender: (@Sendable () -> any ChannelHandler)?
        if let sendings { sender = { FileSendingHandler(sendings: sendings) } }
        return try HTTPService(options: options, logger: logger).application(
            responder: HubAPI(hub, server: options, sendings: sendings),
            encoderNeighbor: sender,
            onStart: onStart
        )
    }
}

extension HTTPService.Options {
    /// The maximum number of apps that wait for live updates. The other connections are left for requests.
    var maximumLiveUpdates: Int { permittedConnections / 4 * 3 }
}

/// Removes unused files and renews the manifests that the hub signs, at the start, since a hub may restart more often than that, and every
/// hour.
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
                            try await hub.noteWhatIsNear()
                            return try await hub.cleanUp()
                        }
                        logger.info(
                            "cleaned up",
                            metadata: ["objects": "\(removed.objects)", "files": "\(removed.blobs)"]
                        )
                    }
                    // Each hub of a fleet signs with the keys that it keeps.
                    try await BlockingExecutor.run { try await hub.renewManifests() }
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
