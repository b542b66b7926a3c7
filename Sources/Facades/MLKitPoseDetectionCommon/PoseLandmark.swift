public import Foundation
public import MLKitVision
import Sightline

/// A point of a body. (`MLKPoseLandmark`)
#if canImport(ObjectiveC)
    @objc(MLKPoseLandmark) @objcMembers
#endif
public final class PoseLandmark: NSObject, Sendable {
    /// The meaning of the point.
    public let type: PoseLandmarkType
    /// Where the point is, in pixels of the upright picture. The depth is 0: no model here gives it.
    public let position: Vision3DPoint
    /// The confidence that the point is in the picture, 0…1; 0 for a point that the model does not give.
    public let inFrameLikelihood: Float

    init(_ type: PoseLandmarkType, _ point: ObjectPoint?) {
        self.type = type
        position = Vision3DPoint(x: CGFloat(point?.position.x ?? 0), y: CGFloat(point?.position.y ?? 0), z: 0)
        inFrameLikelihood = point.map { $0.confidence ?? 1 } ?? 0
    }
}

/// The meaning of a point of a body. Left and right are those of the person. (`MLKPoseLandmarkType`)
public struct PoseLandmarkType: RawRepresentable, Sendable, Hashable {
    /// The text.
    public let rawValue: String

    /// Creates a type from its text.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// The nose.
    public static let nose = PoseLandmarkType(rawValue: "Nose")
    /// The inner corner of the left eye; no model here gives it.
    public static let leftEyeInner = PoseLandmarkType(rawValue: "LeftEyeInner")
    /// The left eye.
    public static let leftEye = PoseLandmarkType(rawValue: "LeftEye")
    /// The outer corner of the left eye; no model here gives it.
    public static let leftEyeOuter = PoseLandmarkType(rawValue: "LeftEyeOuter")
    /// The inner corner of the right eye; no model here gives it.
    public static let rightEyeInner = PoseLandmarkType(rawValue: "RightEyeInner")
    /// The right eye.
    public static let rightEye = PoseLandmarkType(rawValue: "RightEye")
    /// The outer corner of the right eye; no model here gives it.
    public static let rightEyeOuter = PoseLandmarkType(rawValue: "RightEyeOuter")
    /// The left ear.
    public static let leftEar = PoseLandmarkType(rawValue: "LeftEar")
    /// The right ear.
    public static let rightEar = PoseLandmarkType(rawValue: "RightEar")
    /// The left corner of the mouth; no model here gives it.
    public static let mouthLeft = PoseLandmarkType(rawValue: "MouthLeft")
    /// The right corner of the mouth; no model here gives it.
    public static let mouthRight = PoseLandmarkType(rawValue: "MouthRight")
    /// The left shoulder.
    public static let leftShoulder = PoseLandmarkType(rawValue: "LeftShoulder")
    /// The right shoulder.
    public static let rightShoulder = PoseLandmarkType(rawValue: "RightShoulder")
    /// The left elbow.
    public static let leftElbow = PoseLandmarkType(rawValue: "LeftElbow")
    /// The right elbow.
    public static let rightElbow = PoseLandmarkType(rawValue: "RightElbow")
    /// The left wrist.
    public static let leftWrist = PoseLandmarkType(rawValue: "LeftWrist")
    /// The right wrist.
    public static let rightWrist = PoseLandmarkType(rawValue: "RightWrist")
    /// The little finger of the left hand; no model here gives it.
    public static let leftPinkyFinger = PoseLandmarkType(rawValue: "LeftPinkyFinger")
    /// The little finger of the right hand; no model here gives it.
    public static let rightPinkyFinger = PoseLandmarkType(rawValue: "RightPinkyFinger")
    /// The index finger of the left hand; no model here gives it.
    public static let leftIndexFinger = PoseLandmarkType(rawValue: "LeftIndexFinger")
    /// The index finger of the right hand; no model here gives it.
    public static let rightIndexFinger = PoseLandmarkType(rawValue: "RightIndexFinger")
    /// The left thumb; no model here gives it.
    public static let leftThumb = PoseLandmarkType(rawValue: "LeftThumb")
    /// The right thumb; no model here gives it.
    public static let rightThumb = PoseLandmarkType(rawValue: "RightThumb")
    /// The left hip.
    public static let leftHip = PoseLandmarkType(rawValue: "LeftHip")
    /// The right hip.
    public static let rightHip = PoseLandmarkType(rawValue: "RightHip")
    /// The left knee.
    public static let leftKnee = PoseLandmarkType(rawValue: "LeftKnee")
    /// The right knee.
    public static let rightKnee = PoseLandmarkType(rawValue: "RightKnee")
    /// The left ankle.
    public static let leftAnkle = PoseLandmarkType(rawValue: "LeftAnkle")
    /// The right ankle.
    public static let rightAnkle = PoseLandmarkType(rawValue: "RightAnkle")
    /// The left heel; no model here gives it.
    public static let leftHeel = PoseLandmarkType(rawValue: "LeftHeel")
    /// The right heel; no model here gives it.
    public static let rightHeel = PoseLandmarkType(rawValue: "RightHeel")
    /// The toes of the left foot; no model here gives it.
    public static let leftToe = PoseLandmarkType(rawValue: "LeftToe")
    /// The toes of the right foot; no model here gives it.
    public static let rightToe = PoseLandmarkType(rawValue: "RightToe")

    /// The types that models here give, in the order of COCO.
    static let names: [(type: PoseLandmarkType, point: ObjectPoint.Name)] = [
        (.nose, .nose), (.leftEye, .leftEye), (.rightEye, .rightEye), (.leftEar, .leftEar), (.rightEar, .rightEar),
        (.leftShoulder, .leftShoulder), (.rightShoulder, .rightShoulder), (.leftElbow, .leftElbow),
        (.rightElbow, .rightElbow), (.leftWrist, .leftWrist), (.rightWrist, .rightWrist), (.leftHip, .leftHip),
        (.rightHip, .rightHip), (.leftKnee, .leftKnee), (.rightKnee, .rightKnee), (.leftAnkle, .leftAnkle),
        (.rightAnkle, .rightAnkle),
    ]
}
