import Foundation

extension OutcomeBatch.Record {
    /// Latencies in milliseconds that a device can have. Others count as the nearest of these, so that none outweighs all others.
    private static let latencies = 0.1...100_000

    /// The values of the record for the guards of a rollout. Values that a guard cannot have are left out.
    func reports(for rollout: Rollout) -> [RolloutReport] {
        guard let group = RolloutGroup(rawValue: variant), group.isCompared else { return [] }
        var report = RolloutReport(rollout: rollout.id, group: group, count: Double(count), sum: sum)
        switch metric {
        case .results:
            report.sum = 0
            return [report]
        case .latency:
            guard rollout.plan.guards.contains(.latency) else { return [] }
            report.rolloutGuard = .latency
            // The logarithm of the batch's mean. Buckets would be too coarse for devices that are all alike.
            let mean = min(max(sum / Double(count), Self.latencies.lowerBound), Self.latencies.upperBound)
            report.sum = Double(count) * log(mean)
            return [report]
        case .score(let name):
            let rolloutGuard = RolloutGuard(name) ?? RolloutGuard(metric.text)
            guard let rolloutGuard, rolloutGuard != .latency, rollout.plan.guards.contains(rolloutGuard) else {
                return []
            }
            let isShare = rolloutGuard == .failures || rolloutGuard == .confidence
            // Values from 0 to 1 are not below their squares.
            guard !isShare || (0...Double(count)).contains(sum) && squares <= sum * (1 + 1e-6) else { return [] }
            report.rolloutGuard = rolloutGuard
            return [report]
        case .unidentified: return []
        }
    }
}
