import Foundation
import HTTPServing
import Logging
import ServiceLifecycle

/// Watches the rollouts while the hub serves. In a fleet, one hub at a time does.
///
/// All that it knows is in the records, so it continues after a crash where it was.
struct RolloutService: Service {
    let hub: Hub
    let logger: Logger

    func run() async throws {
        // Canceled when the server stops.
        try? await cancelWhenGracefulShutdown {
            while true {
                try await Task.sleep(for: hub.options.rolloutInterval)
                var duties = Duties()
                try await duties.perform("guards") {
                    _ = try await hub.records.withExclusiveLease(.rollouts) { try await watch() }
                }
                try await duties.perform("signatures") {
                    try await BlockingExecutor.run { try await hub.signReturns() }
                }
                for failure in duties.failures {
                    logger.error(
                        "cannot watch rollouts",
                        metadata: ["duty": "\(failure.duty)", "reason": "\(failure.error)"]
                    )
                }
            }
        }
    }

    private func watch() async throws {
        let (changes, duties) = try await hub.watchActiveRollouts()
        for (rollout, change) in changes {
            logger.info(
                "rollout \(change)",
                metadata: ["rollout": "\(rollout.id)", "share": "\(rollout.share)", "reason": "\(rollout.reason)"]
            )
        }
        try duties.finish()
    }
}

extension Hub {
    /// Checks the active rollouts of all projects once, and takes the steps that are due.
    ///
    /// - Returns: The rollouts that changed for devices.
    /// - Throws: The failures of single rollouts, after the others were checked.
    package func watchRollouts() async throws -> [(rollout: Rollout, change: Rollout.Change)] {
        let (changes, duties) = try await watchActiveRollouts()
        try duties.finish()
        return changes
    }

    /// Looks at the active rollouts, of which none stops the others, also if its record cannot be read.
    func watchActiveRollouts() async throws -> (changes: [(rollout: Rollout, change: Rollout.Change)], duties: Duties) {
        var changes: [(Rollout, Rollout.Change)] = []
        var duties = Duties()
        for row in try await records.activeRollouts() {
            try await duties.perform("rollout \(row.id)") {
                if let change = try await watch(try row.stored.get()) { changes.append(change) }
            }
        }
        return (changes, duties)
    }

    private func watch(_ stored: StoredRollout) async throws -> (Rollout, Rollout.Change)? {
        let time = now()
        // Another hub may have looked a moment ago. A clock that was set back is not a reason to wait for it.
        let passed = time.milliseconds.subtractingReportingOverflow(stored.rollout.watchTime.milliseconds).partialValue
        guard passed < 0 || passed >= options.rolloutInterval.wholeMilliseconds / 2 else { return nil }
        let evidence = try await records.evidence(of: stored.rollout.id, in: stored.project)
        var (rollout, curve) = (stored.rollout, stored.curve)
        let (readings, ratio) = rollout.comparisons(evidence)
        curve.add(readings, ratio, share: rollout.share, at: time)
        let change = rollout.advance(evidence, at: time)
        let entry = change.map { change in
            AuditEntry(
                time: time,
                project: stored.project,
                actor: "rollout \(rollout.id)",
                action: change.action,
                target: Self.target(rollout.id, stored.project),
                detail: rollout.events.last?.text ?? rollout.reason,
                event: change.event
            )
        }
        if let caller = try await rolloutCaller(rollout, in: stored.project) {
            do {
                try await settleParameter(of: rollout, caller)
            } catch {
                // A template that cannot be changed must not keep a bad version on devices.
                if rollout.isActive { throw error }
            }
        }
        // A rollout that a person changed meanwhile is looked at the next time.
        guard try await save(rollout, curve, replacing: stored, entry), let change else { return nil }
        return (rollout, change)
    }
}

extension Rollout.Change {
    fileprivate var action: String {
        switch self {
        case .stepped: "rollout.step"
        case .finished: "rollout.finish"
        case .halted: "rollout.halt"
        }
    }

    fileprivate var event: WebhookEvent {
        switch self {
        case .stepped: .rolloutStepped
        case .finished: .rolloutFinished
        case .halted: .rolloutHalted
        }
    }
}

extension Duration {
    fileprivate var wholeMilliseconds: Int64 {
        let (seconds, attoseconds) = components
        return min(seconds, 1 << 40) * 1000 + attoseconds / 1_000_000_000_000_000
    }
}
