import FacadeSupport
public import Foundation
package import Sightline

/// A face in a picture. (`MLKFace`)
///
/// The models here give a box and six points, so a face has a rotation within the picture and no other, and neither contours nor
/// probabilities: each property `has…` says so, and the number beside it is 0.
#if canImport(ObjectiveC)
    @objc(MLKFace) @objcMembers
#endif
public final class Face: NSObject, Sendable {
    /// The bounding box in pixels of the upright picture.
    public let frame: CGRect
    /// The landmarks that the model gives; empty unless the options ask for landmarks.
    public let landmarks: [FaceLandmark]
    /// Always empty: no model here gives contours.
    public let contours: [FaceContour] = []
    /// Whether the face has an identity.
    public let hasTrackingID: Bool
    /// The identity in a stream, which stays the same in all pictures; 0 in single pictures.
    public let trackingID: Int
    /// False: no model here gives this angle.
    public let hasHeadEulerAngleX = false
    /// 0: no model here gives the angle up or down.
    public let headEulerAngleX: CGFloat = 0
    /// False: no model here gives this angle.
    public let hasHeadEulerAngleY = false
    /// 0: no model here gives the angle to the left or right.
    public let headEulerAngleY: CGFloat = 0
    /// Whether the angle within the picture is known, by the eyes.
    public let hasHeadEulerAngleZ: Bool
    /// The rotation of the face within the picture in degrees, counterclockwise, −180…180: that of the line through the eyes.
    public let headEulerAngleZ: CGFloat
    /// False: no model here classifies faces.
    public let hasSmilingProbability = false
    /// 0: no model here classifies faces.
    public let smilingProbability: CGFloat = 0
    /// False: no model here classifies faces.
    public let hasLeftEyeOpenProbability = false
    /// 0: no model here classifies faces.
    public let leftEyeOpenProbability: CGFloat = 0
    /// False: no model here classifies faces.
    public let hasRightEyeOpenProbability = false
    /// 0: no model here classifies faces.
    public let rightEyeOpenProbability: CGFloat = 0

    package init(_ object: DetectedObject, hasLandmarks: Bool) {
        let points = object.points ?? []
        frame = CGRect(object.frame)
        landmarks = hasLandmarks ? points.compactMap(FaceLandmark.init) : []
        (hasTrackingID, trackingID) = (object.id != nil, object.id ?? 0)
        let angle = object.eyeAngle
        (hasHeadEulerAngleZ, headEulerAngleZ) = (angle != nil, CGFloat(angle ?? 0))
    }

    /// The landmark of a type; nil if the model does not give it, or the options ask for no landmarks.
    public func landmark(ofType type: FaceLandmarkType) -> FaceLandmark? { landmarks.first { $0.type == type } }

    /// Always nil: no model here gives contours.
    public func contour(ofType type: FaceContourType) -> FaceContour? { contours.first { $0.type == type } }
}
