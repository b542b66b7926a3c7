/// Chooses the most prominent object of each frame, and stays with it.
///
/// An object is reported until it is gone or another is clearly more prominent, so that the choice does not jump to and fro
/// between two that are about equal. While it is hidden for a moment nothing is reported in its place.
struct ProminentChoice: Sendable {
    private var chosen: (id: Int, lastSeen: Duration, prominence: Double)?

    /// How many times as prominent another object has to be.
    private static let clearly = 1.3
    /// How long the place of an object that is not seen is kept.
    private static let patience = Duration.milliseconds(500)

    /// Chooses one of a frame's objects.
    mutating func choose(_ objects: [DetectedObject], in size: PixelSize, at time: Duration) -> DetectedObject? {
        let rated = objects.map { ($0, Prominence.of($0.frame, confidence: $0.confidence, in: size)) }
        // The first of equals: they come in the order of their identities.
        var best: (object: DetectedObject, prominence: Double)?
        for (object, prominence) in rated where prominence > best?.prominence ?? -1 { best = (object, prominence) }
        guard let best, let bestID = best.object.id else { return nil }
        var winner = best
        if let chosen, chosen.id != bestID {
            if let current = rated.first(where: { $0.0.id == chosen.id }) {
                if best.prominence < current.1 * Self.clearly { winner = current }
            } else if best.prominence < chosen.prominence * Self.clearly, time - chosen.lastSeen < Self.patience,
                time >= chosen.lastSeen
            {
                return nil
            }
        }
        guard let id = winner.object.id else { return nil }
        chosen = (id, time, winner.prominence)
        return winner.object
    }

    /// Forgets the object.
    mutating func reset() {
        chosen = nil
    }
}
