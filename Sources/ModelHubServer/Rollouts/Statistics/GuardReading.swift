import Foundation
import ModelHubProtocol

/// A guard's comparison of the devices with the new version and those with the old version, at one moment.
package struct GuardReading: Sendable, Hashable {
    /// The change for the worse with its always-valid interval. Positive is worse. See ``RolloutGuard/Scale`` for the unit.
    package struct Change: Sendable, Hashable, Codable {
        /// The estimate.
        package var value: Double
        /// The lower end of the interval.
        package var lower: Double
        /// The upper end of the interval.
        package var upper: Double
    }

    /// The fewest devices of either group with which a guard is tested; so many must also be left if the devices are weighed by their
    /// results. With fewer devices the sums are too far from normal.
    static let fewestDevices = 50
    static let fewestEffectiveDevices = 25.0

    /// The guard.
    package var rolloutGuard: RolloutGuard
    /// The sums of the devices with the new version.
    package var new: DeviceSums
    /// The sums of the compared devices with the old version.
    package var old: DeviceSums
    /// The change; nil while there are too few devices.
    package var change: Change?

    /// Compares two groups.
    ///
    /// - Parameter error: The probability of ever halting because of this guard if the version is not worse.
    package init(_ rolloutGuard: RolloutGuard, new: DeviceSums, old: DeviceSums, error: Double) {
        (self.rolloutGuard, self.new, self.old) = (rolloutGuard, new, old)
        guard min(new.devices, old.devices) >= Self.fewestDevices,
            min(new.effectiveDevices, old.effectiveDevices) >= Self.fewestEffectiveDevices,
            let newMean = new.mean, let oldMean = old.mean,
            var newVariance = new.varianceOfMean, var oldVariance = old.varianceOfMean
        else { return }
        var difference: Double
        switch rolloutGuard.scale {
        case .points:
            newVariance = max(newVariance, Self.leastVariance(ofShare: new))
            oldVariance = max(oldVariance, Self.leastVariance(ofShare: old))
            difference = newMean - oldMean
        case .logarithm: difference = newMean - oldMean
        case .relative:
            // A mean of 0 has no percentage.
            guard abs(oldMean) > 1e-9 else { return }
            let ratio = newMean / oldMean
            difference = (oldMean - newMean) / abs(oldMean)
            newVariance /= oldMean * oldMean
            oldVariance *= ratio * ratio / (oldMean * oldMean)
        }
        let bound = NormalMixture(scale: rolloutGuard.harm, error: error)
        let radius = bound.radius(variance: newVariance + oldVariance)
        guard difference.isFinite, radius.isFinite else { return }
        change = Change(value: difference, lower: difference - radius, upper: difference + radius)
    }

    /// The variance of a share as if one more result were good and one more bad, because no failures among few results do not prove that
    /// there are none (E. Wilson's and A. Agresti's argument for proportions near 0).
    private static func leastVariance(ofShare sums: DeviceSums) -> Double {
        let share = (sums.sum + 1) / (sums.count + 2)
        return max(share * (1 - share), 0) / max(sums.count, 1)
    }

    /// Whether the new version is worse for certain, beyond a negligible change.
    package var isHarmful: Bool { change.map { $0.lower > rolloutGuard.tolerance } ?? false }

    /// Whether a harm is excluded.
    package var excludesHarm: Bool { change.map { $0.upper < rolloutGuard.harm } ?? false }

    /// The finding of the comparison.
    package enum Verdict: String, Sendable, CaseIterable {
        /// There are too few devices.
        case tooFew = "too-few"
        /// The new version is worse for certain.
        case harmful
        /// The new version may be worse or not.
        case uncertain
        /// A harm is excluded.
        case noHarm = "no-harm"
    }

    /// The finding of the comparison.
    package var verdict: Verdict {
        if change == nil { return .tooFew }
        return isHarmful ? .harmful : excludesHarm ? .noHarm : .uncertain
    }
}

/// The division of the reporting devices into those with the new version and those with the old version. Both groups have the same
/// size; if far fewer devices of one of them report, the version may prevent reports, for example by a crash.
package struct RatioReading: Sendable, Hashable {
    /// The deviation from ½ that is not a sign of a fault: devices report later if they must download a version first.
    static let tolerance = 0.01

    /// The number of devices with reports and the new version.
    package var new: Int
    /// The number of devices with reports and the old version.
    package var old: Int
    /// The always-valid interval of the share of the new version.
    package var interval: ClosedRange<Double>

    /// - Parameter error: The probability of ever halting if the devices are divided fairly.
    package init(new: Int, old: Int, error: Double) {
        (self.new, self.old) = (new, old)
        interval = ShareMixture(error: error).interval(new, old)
    }

    /// Whether enough devices report to call the division fair: as many as a guard needs of both groups.
    package var isTelling: Bool { new + old >= 2 * GuardReading.fewestDevices }

    /// Whether the division is unfair for certain.
    package var isUnfair: Bool {
        interval.upperBound < 0.5 - Self.tolerance || interval.lowerBound > 0.5 + Self.tolerance
    }
}
