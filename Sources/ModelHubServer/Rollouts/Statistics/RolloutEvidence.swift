/// The sums that the devices of a rollout reported so far.
package struct RolloutEvidence: Sendable, Hashable {
    /// The sums of the two compared groups.
    package struct Groups: Sendable, Hashable {
        /// Those of the devices with the new version.
        package var new = DeviceSums()
        /// Those of the devices with the old version.
        package var old = DeviceSums()

        /// Creates sums without values.
        package init() {}
    }

    /// The sums for each guard; absent if no device reported it.
    package var groups: [RolloutGuard: Groups] = [:]
    /// The number of devices with any report and the new version.
    package var newDevices = 0
    /// The number of compared devices with any report and the old version.
    package var oldDevices = 0

    /// Creates evidence without reports.
    package init() {}

    /// The probability of wrongly halting a rollout, over all of its guards and the ratio of devices, and over its whole time.
    static let error = 0.05

    /// The comparisons for guards, in their order. The error is divided among them and the ratio (C. Bonferroni).
    func readings(_ guards: [RolloutGuard]) -> [GuardReading] {
        guards.map { rolloutGuard in
            let found = groups[rolloutGuard] ?? Groups()
            return GuardReading(
                rolloutGuard,
                new: found.new,
                old: found.old,
                error: Self.error / Double(guards.count + 1)
            )
        }
    }

    /// The division of devices, for a rollout with a number of guards.
    func ratio(besides guards: Int) -> RatioReading {
        RatioReading(new: newDevices, old: oldDevices, error: Self.error / Double(guards + 1))
    }
}
