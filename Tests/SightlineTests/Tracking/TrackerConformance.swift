import Testing

@testable import Sightline

/// Runs a tracker over frames and checks in each of them what every tracker promises.
///
/// Returns what each update returned, for comparison with other runs.
@discardableResult
func checkTracker(
    options: ObjectTrackerOptions = ObjectTrackerOptions(),
    frames: [(time: Duration, detections: [Detection])],
    sourceLocation: SourceLocation = #_sourceLocation
) -> [[Track]] {
    var tracker = ObjectTracker(options: options)
    var results: [[Track]] = []
    var largestID = 0
    var gone: Set<Int> = []
    var alive: Set<Int> = []
    for (time, detections) in frames {
        let tracks = tracker.update(detections, at: time)
        let all = tracker.tracks
        results.append(tracks)

        let indices = tracks.compactMap(\.detectionIndex)
        #expect(indices.count == tracks.count, "each returned track has its detection", sourceLocation: sourceLocation)
        #expect(
            zip(indices, indices.dropFirst()).allSatisfy { $0 < $1 },
            "one track per detection, in their order",
            sourceLocation: sourceLocation
        )
        for track in tracks {
            guard let index = track.detectionIndex, detections.indices.contains(index) else { continue }
            #expect(track.frame == detections[index].frame, "the matched box itself", sourceLocation: sourceLocation)
            #expect(track.state != .lost, sourceLocation: sourceLocation)
            #expect(track.lastSeen == time, sourceLocation: sourceLocation)
            #expect(track.classIndex == detections[index].classIndex, sourceLocation: sourceLocation)
        }

        let ids = all.compactMap(\.id)
        #expect(Set(ids).count == ids.count, "no identity twice", sourceLocation: sourceLocation)
        #expect(ids.allSatisfy { $0 > 0 }, "identities are positive", sourceLocation: sourceLocation)
        #expect(
            all.allSatisfy { ($0.id == nil) == ($0.state == .tentative) },
            "an identity from confirmation on",
            sourceLocation: sourceLocation
        )
        let fresh = Set(ids).subtracting(alive)
        #expect(fresh.allSatisfy { $0 > largestID }, "new identities rise", sourceLocation: sourceLocation)
        #expect(gone.isDisjoint(with: ids), "identities are not used again", sourceLocation: sourceLocation)
        gone.formUnion(alive.subtracting(ids))
        alive = Set(ids)
        largestID = max(largestID, ids.max() ?? 0)
    }
    return results
}
