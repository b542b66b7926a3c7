import Foundation
import HTTPServing
import Logging
import ServiceLifecycle

/// Trains models while the hub serves, one at a time.
///
/// The records are the queue, and projects take turns. A hub that works on a training says so every second; of a fleet, each hub takes
/// the next training that waits, or one whose hub gave no sign of life for ``Hub/Options/trainingLease``. A training that ended with its hub
/// starts again: the same photos give the same model, and a model that the hub has already does not become another version.
struct TrainingService: Service {
    let hub: Hub
    let logger: Logger
    /// The name of this hub in the records of trainings that it works on.
    private let worker = RandomBytes.make(16).hexadecimalText

    /// The time after a failure of the hub's records or files.
    private static let pause = Duration.seconds(30)

    init(hub: Hub, logger: Logger) { (self.hub, self.logger) = (hub, logger) }

    func run() async throws {
        guard hub.options.evaluator != nil else { return try await gracefulShutdown() }
        TrainingFolder.removeLeftovers(in: hub.uploads)
        // Canceled when the server stops.
        try? await cancelWhenGracefulShutdown {
            var isResumed = hub.records.isShared
            while true {
                do {
                    if !isResumed {
                        try await hub.records.resumeTrainings()
                        isResumed = true
                    }
                    while let training = try await hub.runNextTraining(as: worker) {
                        logger.info(
                            "training \(training.state.rawValue)",
                            metadata: ["training": "\(training.id)", "reason": "\(training.message ?? "")"]
                        )
                    }
                } catch is CancellationError {
                    return
                } catch {
                    logger.error("cannot train", metadata: ["reason": "\(error)"])
                    isResumed = hub.records.isShared
                    try await Task.sleep(for: Self.pause)
                }
                try await Task.sleep(for: hub.options.trainingInterval)
            }
        }
    }
}

extension Hub {
    /// Runs the next training to its end.
    ///
    /// - Parameter worker: The name of this hub.
    /// - Returns: The training as it ended; nil if none waits.
    func runNextTraining(as worker: String) async throws -> Training? {
        let lease = records.isShared ? options.trainingLease : nil
        guard let training = try await records.beginTraining(as: worker, lease: lease, at: now()) else { return nil }
        return try await BlockingExecutor.run { try await TrainingRun(training, on: self, as: worker).run() }
    }
}
