import Logging
import ServiceLifecycle

/// Records that this hub works on its evaluations, and marks those of hubs that ended.
struct EvaluationHeartbeat: Service {
    let hub: Hub
    let logger: Logger

    /// The time between two heartbeats.
    private static let interval = Duration.seconds(10)
    /// The time without a heartbeat after which an evaluation ended with its hub. The clocks of hubs differ by less.
    static let timeout = Duration.seconds(60)

    func run() async throws {
        // Canceled when the server stops.
        try? await cancelWhenGracefulShutdown {
            while true {
                try await Task.sleep(for: Self.interval)
                do {
                    // Another process may have canceled some silently.
                    try await hub.stopEndedEvaluations()
                    try await hub.records.keepEvaluationsAlive(hub.evaluations.open.map(\.id), at: hub.now())
                    if hub.records.isShared { try await hub.interruptEvaluations() }
                } catch is CancellationError {
                    return
                } catch {
                    logger.error("cannot record evaluations", metadata: ["reason": "\(error)"])
                }
            }
        }
    }
}

/// Stops the evaluations of this hub that another hub cancels or deletes.
struct EvaluationService: Service {
    let hub: Hub
    let logger: Logger

    func run() async throws {
        for try await change in hub.records.changes().cancelOnGracefulShutdown() {
            do {
                switch change {
                case .project(let project): try await hub.stopEndedEvaluations(of: project)
                case .anything: try await hub.stopEndedEvaluations()
                }
            } catch is CancellationError {
                return
            } catch {
                // The next heartbeat looks again.
                logger.error("cannot look for canceled evaluations", metadata: ["reason": "\(error)"])
            }
        }
    }
}
