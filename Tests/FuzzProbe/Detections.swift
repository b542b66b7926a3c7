import Foundation
import Sightline
import SightlineMedia

extension FuzzTarget {
    /// Detections of another program, which the tracker follows, however far away their boxes are.
    static let detections = FuzzTarget(name: "detections") { data in
        let frames = try MOTDetections(data, name: "det.txt").frames
        var tracker = ObjectTracker()
        for frame in frames.prefix(100) {
            let detections = frame.detections
            let found = tracker.update(detections, at: .milliseconds(40 * frame.number))
            require(found.count <= detections.count, "a detection belongs to one object")
            require(
                found.allSatisfy { object in detections.contains { $0.frame == object.frame } },
                "a box that was found stays as it is"
            )
        }
        _ = tracker.advance(to: .seconds(60_000_000))
    }
}
