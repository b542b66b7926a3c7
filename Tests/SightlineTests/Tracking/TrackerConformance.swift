import Sightline
import Testing

/// Runs a tracker over frames and checks in each of them what every tracker promises.
///
/// Returns what each update returned, for comparison with other runs.
@discardableResult
func checkTracker(
    options: ObjectTrackerOptions = ObjectTrackerOptions(),
    frames: [(time: Duration, detections: [DetectedObject])],
    sourceLocation: SourceLocation = #_sourceLocation
) -> [[DetectedObject]] {
    var tracker = ObjectTracker(options: options)
    var results: [[DetectedObject]] = []
    var largestID = 0
    var gone: Set<Int> = []
    var alive: Set<Int> = []
    for (time, detections) in frames {
        let objects = tracker.update(detections, at: time)
        let all = tracker.objects
        results.append(objects)

        let indices = objects.compactMap(\.track?.detectionIndex)
        #expect(
            indices.count == objects.count,
            "each returned object has its detection",
            sourceLocation: sourceLocation
        )
        #expect(
            zip(indices, indices.dropFirst()).allSatisfy { $0 < $1 },
            "one object per detection, in their order",
            sourceLocation: sourceLocation
        )
        for object in objects {
            guard let track = object.track, let index = track.detectionIndex, detections.indices.contains(index) else {
                continue
            }
            #expect(object.frame == detections[index].frame, "the matched box itself", sourceLocation: sourceLocation)
            #expect(object.classIndex == detections[index].classIndex, sourceLocation: sourceLocation)
            #expect(object.labels == detections[index].labels, sourceLocation: sourceLocation)
            #expect(track.state == .tentative || track.isConfirmed, sourceLocation: sourceLocation)
            #expect(track.isDetected, sourceLocation: sourceLocation)
            #expect(track.lastSeen == time, sourceLocation: sourceLocation)
        }

        let ids = all.compactMap(\.id)
        #expect(Set(ids).count == ids.count, "no identity twice", sourceLocation: sourceLocation)
        #expect(ids.allSatisfy { $0 > 0 }, "identities are positive", sourceLocation: sourceLocation)
        #expect(
            all.allSatisfy { ($0.id == nil) == ($0.track?.state == .tentative) },
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
