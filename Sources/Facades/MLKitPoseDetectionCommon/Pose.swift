public import Foundation
import Sightline

/// A body in a picture. (`MLKPose`)
#if canImport(ObjectiveC)
    @objc(MLKPose) @objcMembers
#endif
public final class Pose: NSObject, Sendable {
    /// The landmarks that the model gives: 17 of ML Kit's 33.
    public let landmarks: [PoseLandmark]

    init(_ object: DetectedObject) {
        let points = Dictionary((object.points ?? []).map { ($0.name, $0) }) { first, _ in first }
        landmarks = PoseLandmarkType.names.compactMap { type, name in points[name].map { PoseLandmark(type, $0) } }
    }

    /// The landmark of a type. For a type that the model does not give, its likelihood is 0 and its position is the picture's corner.
    public func landmark(ofType type: PoseLandmarkType) -> PoseLandmark {
        landmarks.first { $0.type == type } ?? PoseLandmark(type, nil)
    }
}
