/// The shaking of an object's box across a boundary, by its last distances from it.
///
/// A box that an object leaves and enters again and again, within a few sightings, shakes by as much as its distances differ. An object
/// that passes goes one way, and one that turns back does so once. So there is a shake where the last distances turn twice, each time by
/// at least a third of all that they differ. It is forgotten by 1 % with each sighting.
struct EdgeShake: Sendable {
    private var distances: [Double] = []
    /// The number of sightings so far, up to the number from which a shake would have shown.
    private var count = 0
    /// The largest difference of distances of a box that shakes, in pixels; 0 for a box that does not.
    private var extent = 0.0

    /// Over how many sightings the distances are compared.
    private static let window = 8
    private static let kept = 0.99
    /// The number of sightings after which a shake would have shown.
    private static let settled = 10
    /// The share of a box's size by which it has to pass the boundary before that.
    private static let clearShare = 0.3
    /// The largest margin as a share of a box's size: beyond that, an object counts as coming and going, however often.
    private static let largestShare = 0.6

    /// Adds a sighting.
    ///
    /// - Parameter distance: the distance from the boundary in pixels, negative on one of its sides.
    mutating func add(_ distance: Double) {
        guard distance.isFinite else { return }
        if distances.count == Self.window { distances.removeFirst() }
        distances.append(distance)
        count = min(count + 1, Self.settled)
        extent *= Self.kept
        if let least = distances.min(), let most = distances.max(), turns(of: (most - least) / 3) >= 2 {
            extent = max(extent, most - least)
        }
    }

    /// The distance from the boundary up to which a box is on neither side.
    func margin(of box: PixelRect) -> Double {
        max(box.edgeMargin, min(extent, Self.largestShare * box.edgeSize))
    }

    /// Whether a sighting alone shows, or after all sightings before it, that its side is not a shake.
    ///
    /// - Parameter distance: the distance of the box's point from the boundary.
    func isClear(_ distance: Double, of box: PixelRect) -> Bool {
        count >= Self.settled || abs(distance) > Self.clearShare * box.edgeSize
    }

    /// The number of times that the distances turn by at least a length.
    private func turns(of length: Double) -> Int {
        guard length > 0, var (low, high) = distances.first.map({ ($0, $0) }) else { return 0 }
        var (count, isRising) = (0, Bool?.none)
        for distance in distances {
            if isRising != false { high = max(high, distance) }
            if isRising != true { low = min(low, distance) }
            if isRising != false, high - distance >= length {
                count += isRising == true ? 1 : 0
                (isRising, low) = (false, distance)
            } else if isRising != true, distance - low >= length {
                count += isRising == false ? 1 : 0
                (isRising, high) = (true, distance)
            }
        }
        return count
    }
}
