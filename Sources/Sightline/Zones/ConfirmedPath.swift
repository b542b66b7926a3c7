/// The way of an object past a boundary, without the sightings that nothing confirms.
///
/// A box that flickers lies on the other side of a boundary for one frame. So a sighting beyond the boundary counts when the next
/// sighting lies there, too, and every other one until the confirmation time has passed and one of them is clear; otherwise it is
/// forgotten. The first sighting of an object is where its way begins.
struct ConfirmedPath: Sendable {
    /// A place where the detector saw the object.
    struct Sighting: Sendable {
        let point: PixelPoint
        /// The side of the boundary on which the point lies.
        let side: Int
        let time: Duration
        /// Whether it is certain that the point does not shake across the boundary.
        var isClear = true
    }

    /// The last confirmed sighting.
    private(set) var last: Sighting
    /// A sighting beyond the boundary that the next sightings confirm or refute.
    private var pending: Sighting?
    /// Whether one of the sightings there is clear.
    private var isPendingClear = false
    /// The time for which an object has to stay beyond the boundary.
    private let confirmationTime: Duration

    init(_ first: Sighting, confirmationTime: Duration) { (last, self.confirmationTime) = (first, confirmationTime) }

    /// Continues with the next sighting.
    ///
    /// - Parameter crosses: whether the straight way from one sighting to another crosses the boundary.
    /// - Returns: the first sighting beyond the boundary, once it is confirmed, and the sighting before it; otherwise nil.
    mutating func go(
        to sighting: Sighting,
        crosses: (Sighting, Sighting) -> Bool
    ) -> (from: Sighting, to: Sighting)? {
        if let beyond = pending, beyond.side == sighting.side, !crosses(beyond, sighting) {
            if sighting.isClear { isPendingClear = true }
            guard isPendingClear, sighting.time.since(beyond.time) >= confirmationTime else { return nil }
            defer { (last, pending) = (sighting, nil) }
            return (last, beyond)
        }
        if crosses(last, sighting) {
            (pending, isPendingClear) = (sighting, sighting.isClear)
        } else {
            (last, pending) = (sighting, nil)
        }
        return nil
    }
}
