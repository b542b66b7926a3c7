/// An object with all that the tracker knows of it.
struct FollowedObject: Sendable {
    /// What callers see.
    var track: Track
    /// Where it is expected.
    var motion: BoxMotion
    /// In how many updates it was seen.
    var hits = 1
    /// When it was seen last, by the tracker's clock, in seconds.
    var seenAt: Double
    /// Whether it was seen in the last update before this one.
    var wasSeen = true
}
