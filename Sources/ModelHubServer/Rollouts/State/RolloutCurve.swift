/// The comparisons of a rollout over time, thinned out so that they stay few.
package struct RolloutCurve: Sendable, Hashable, Codable {
    /// The comparisons at a moment.
    package struct Point: Sendable, Hashable, Codable {
        /// The moment.
        package var time: Timestamp
        /// The percentage of devices with the new version.
        package var share: Double
        /// The change of each guard, in their order; nil while there are too few devices.
        package var changes: [GuardReading.Change?]
        /// The numbers of devices with the new and with the old version, for each guard.
        package var devices: [[Int]]
        /// The numbers of devices with any report.
        package var newDevices, oldDevices: Int
        /// The ends of the interval of the share of reporting devices with the new version.
        package var ratio: [Double]
    }

    /// The greatest number of points.
    static let limit = 200

    /// The points, oldest first. The last one is always the newest comparison.
    package private(set) var points: [Point] = []
    /// The shortest time between two points, in milliseconds.
    private var spacing: Int64 = 1_000

    /// Creates an empty curve.
    package init() {}

    /// Adds a point, in place of the last one if that is near the one before it.
    package mutating func add(_ readings: [GuardReading], _ ratio: RatioReading, share: Double, at time: Timestamp) {
        let point = Point(
            time: time,
            share: share,
            changes: readings.map(\.change),
            devices: readings.map { [$0.new.devices, $0.old.devices] },
            newDevices: ratio.new,
            oldDevices: ratio.old,
            ratio: [ratio.interval.lowerBound, ratio.interval.upperBound]
        )
        if points.count > 1 {
            let (last, before) = (points[points.count - 1], points[points.count - 2])
            let distance = last.time.milliseconds.subtractingReportingOverflow(before.time.milliseconds)
            if !distance.overflow, distance.partialValue < spacing, last.share == before.share { points.removeLast() }
        }
        points.append(point)
        guard points.count > Self.limit else { return }
        // Every second point, and the first of each step.
        points = points.indices.filter { index in
            index % 2 == 0 || index == points.count - 1 || points[index].share != points[index - 1].share
        }.map { points[$0] }
        points.removeFirst(max(points.count - Self.limit, 0))
        spacing = min(spacing.multipliedReportingOverflow(by: 2).partialValue, 30 * 24 * 3_600_000)
    }
}
