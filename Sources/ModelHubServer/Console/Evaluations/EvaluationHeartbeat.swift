import Logging
import ServiceLifecycle

/// Tells other hubs that this hub works on its evaluations, and marks those of hubs that ended.
struct EvaluationHeartbeat: Service {
    let hub: Hub
    let logger: Logger

    /// The time between two heartbeats.
    private static let interval = Duration.seconds(10)
    /// The time without a heartbeat after which an evaluation ended with its hub. The clocks of hubs differ by less.
    static let patience = Duration.seconds(60)

    func run() async throws {
        // Canceled when the server stops.
        try? await cancelWhenGracefulShutdown {
            while true {
                try await Task.sleep(for: Self.interval)
                do {
                    try await hub.metadata.keepEvaluationsAlive(hub.evaluations.openIDs, at: hub.now())
                    if hub.metadata.isShared { try await hub.interruptEvaluations() }
                } catch is CancellationError {
                    return
                } catch {
                    logger.error("cannot record evaluations", metadata: ["reason": "\(error)"])
                }
            }
        }
    }
}
