/// Selects the most prominent object of each frame, and stays with it.
///
/// The selection stays until the object is gone or another is clearly more prominent, so that it does not jump back and forth
/// between two objects that are about equal. While the object is hidden for a moment, no object is selected in its place.
struct ProminentObjectSelector: Sendable {
    private var selected: (id: Int, lastSeen: Duration, prominence: Double)?

    /// The factor by which another object has to be more prominent.
    private static let requiredAdvantage = 1.3
    /// The time for which the place of a hidden object is kept.
    private static let gracePeriod = Duration.milliseconds(500)

    /// Selects an object among those of a frame.
    mutating func select(among objects: [DetectedObject], in size: PixelSize, at time: Duration) -> DetectedObject? {
        let rated = objects.map { ($0, Prominence.of($0.frame, confidence: $0.objectConfidence, in: size)) }
        // The first of equals: they come in the order of their identities.
        var best: (object: DetectedObject, prominence: Double)?
        for (object, prominence) in rated where prominence > best?.prominence ?? -1 { best = (object, prominence) }
        guard let best, let bestID = best.object.id else { return nil }
        var winner = best
        if let selected, selected.id != bestID {
            if let current = rated.first(where: { $0.0.id == selected.id }) {
                if best.prominence < current.1 * Self.requiredAdvantage { winner = current }
            } else if best.prominence < selected.prominence * Self.requiredAdvantage,
                time - selected.lastSeen < Self.gracePeriod,
                time >= selected.lastSeen
            {
                return nil
            }
        }
        guard let id = winner.object.id else { return nil }
        selected = (id, time, winner.prominence)
        return winner.object
    }

    /// Forgets the object.
    mutating func reset() {
        selected = nil
    }
}
