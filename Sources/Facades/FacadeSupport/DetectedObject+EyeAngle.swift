import Foundation
public import Sightline

extension DetectedObject {
    /// The angle in degrees, counterclockwise, of the line from the right eye of a face, which is on the left of a face that is seen from the
    /// front, to its left eye; nil without both.
    public var eyeAngle: Double? {
        guard let left = points?.first(where: { $0.name == .leftEye })?.position,
            let right = points?.first(where: { $0.name == .rightEye })?.position, left != right
        else { return nil }
        // The y axis of a picture leads down.
        return atan2(right.y - left.y, left.x - right.x) * 180 / .pi
    }
}
