/// Fills the frames between the detections of an object.
enum GapFilling {
    /// Adds the missing places, on the straight way from one detection to the next.
    static func fill(_ places: inout [FinishedTrack.Place], times: FrameTimes) {
        guard let first = places.first, let last = places.last, last.frame - first.frame >= places.count else { return }
        var filled: [FinishedTrack.Place] = []
        filled.reserveCapacity(last.frame - first.frame + 1)
        for place in places {
            if let before = filled.last { addPlaces(from: before, to: place, times, &filled) }
            filled.append(place)
        }
        places = filled
    }

    private static func addPlaces(
        from before: FinishedTrack.Place,
        to after: FinishedTrack.Place,
        _ times: FrameTimes,
        _ places: inout [FinishedTrack.Place]
    ) {
        let length = times[after.frame] - times[before.frame]
        for frame in before.frame + 1..<max(after.frame, before.frame + 1) {
            let share = length > 0 ? Float((times[frame] - times[before.frame]) / length) : 0
            places.append(
                FinishedTrack.Place(
                    frame: frame,
                    edges: before.edges + (after.edges - before.edges) * share,
                    confidence: before.confidence,
                    isDetected: false
                )
            )
        }
    }
}
