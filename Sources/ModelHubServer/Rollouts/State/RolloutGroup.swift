/// The part of a device in a rollout.
///
/// A device's place is its bucket (see `PercentBucket`) for the rollout's id as the seed, so `percent('ID') <= 20` in a condition of Remote
/// Config is true on the same devices that have the new version at 20 %. A device keeps its place forever, so it gets the new version
/// once and keeps it. The compared groups are the two ends of the places and always of equal size, so that a time of day, a weekday or
/// new users affect both alike; at more than 50 %, a part of the devices with the new version is no longer compared.
package enum RolloutGroup: String, Sendable, Hashable, Codable {
    /// The device has the new version, and reports results.
    case new
    /// The device has the old version, and reports results for comparison.
    case old
    /// The device has the new version, and is not compared.
    case newUncompared
    /// The device has the old version, and is not compared.
    case oldUncompared

    /// The number of places.
    static let placeCount: UInt32 = 100_000_000

    /// The group of a device.
    ///
    /// - Parameters:
    ///   - place: The device's bucket, from 0 to 99,999,999.
    ///   - share: The percentage of devices with the new version.
    init(place: UInt32, share: Double) {
        let bound = Self.bound(share)
        let compared = min(bound, Self.placeCount - bound)
        if place <= bound, bound > 0 {
            self = place <= compared ? .new : .newUncompared
        } else {
            self = place > Self.placeCount - compared ? .old : .oldUncompared
        }
    }

    private static func bound(_ share: Double) -> UInt32 { UInt32(min(max(share, 0), 100) * 1_000_000) }

    /// Whether the device has the new version.
    var hasNewVersion: Bool { self == .new || self == .newUncompared }

    /// Whether the device's results are compared.
    var isCompared: Bool { self == .new || self == .old }
}
