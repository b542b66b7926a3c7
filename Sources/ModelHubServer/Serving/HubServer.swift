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
                TrainingService(hub: hub, logger: logger), WebhookService(hub: hub, logger: logger),
                LiveUpdateService(hub: hub),
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
            try await withThrowingTaskGroup(of: Void.self) { group in
                // A store that does not answer holds up no signature.
                group.addTask {
                    try await hourly("cannot clean up") {
                        _ = try await hub.records.withExclusiveLease { try await cleanUp() }
                    }
                }
                // Each hub of a fleet signs with the keys that it keeps.
                group.addTask {
                    try await hourly("cannot sign") {
                        try await BlockingExecutor.run { try await hub.renewManifests() }
                    }
                }
                try await group.waitForAll()
            }
        }
    }

    private func cleanUp() async throws {
        var duties = Duties()
        try await duties.perform("evaluations") {
            try await BlockingExecutor.run { try await hub.removeForgottenEvaluations() }
        }
        try await duties.perform("notices") { try await BlockingExecutor.run { try await hub.logUpcomingLimits() } }
        try await duties.perform("drift") { try await BlockingExecutor.run { try await hub.logDrift() } }
        try await duties.perform("unused files") {
            guard let removed = try await BlockingExecutor.run({ try await hub.cleanUpIfClockIsTrusted() }) else {
                logger.notice("removed nothing for its age, because the clock was set in the last seven days")
                return
            }
            logger.info("cleaned up", metadata: ["objects": "\(removed.objects)", "files": "\(removed.blobs)"])
        }
        try duties.finish()
    }

    /// Performs work now and every hour, with a line in the log for each failure.
    private func hourly(_ problem: Logger.Message, _ work: () async throws -> Void) async throws {
        while true {
            do {
                try await work()
            } catch let error as CancellationError {
                throw error
            } catch let error as Duties.Failures {
                for failure in error.list {
                    logger.error(problem, metadata: ["duty": "\(failure.duty)", "reason": "\(failure.error)"])
                }
            } catch {
                logger.error(problem, metadata: ["reason": "\(error)"])
            }
            try await Task.sleep(for: .seconds(3600))
        }
    }
}
