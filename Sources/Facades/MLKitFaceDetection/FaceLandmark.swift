public import Foundation
public import MLKitVision
internal import Sightline

/// A point of a face. (`MLKFaceLandmark`)
#if canImport(ObjectiveC)
    @objc(MLKFaceLandmark) @objcMembers
#endif
public final class FaceLandmark: NSObject, Sendable {
    /// The meaning of the point.
    public let type: FaceLandmarkType
    /// Where the point is, in pixels of the upright picture.
    public let position: VisionPoint

    /// Nil for a point that ML Kit has not.
    init?(_ point: ObjectPoint) {
        guard let type = FaceLandmarkType(point.name) else { return nil }
        self.type = type
        position = VisionPoint(x: CGFloat(point.position.x), y: CGFloat(point.position.y))
    }
}

/// The meaning of a point of a face. Left and right are those of the person. (`MLKFaceLandmarkType`)
public struct FaceLandmarkType: RawRepresentable, Sendable, Hashable {
    /// The text.
    public let rawValue: String

    /// Creates a type from its text.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// The middle of the lower lip's edge. The models here give the middle of the mouth, a little above.
    public static let mouthBottom = FaceLandmarkType(rawValue: "MouthBottom")
    /// The right corner of the mouth; no model here gives it.
    public static let mouthRight = FaceLandmarkType(rawValue: "MouthRight")
    /// The left corner of the mouth; no model here gives it.
    public static let mouthLeft = FaceLandmarkType(rawValue: "MouthLeft")
    /// The left ear. The models here give the notch before the ear canal.
    public static let leftEar = FaceLandmarkType(rawValue: "LeftEar")
    /// The right ear. The models here give the notch before the ear canal.
    public static let rightEar = FaceLandmarkType(rawValue: "RightEar")
    /// The middle of the left eye.
    public static let leftEye = FaceLandmarkType(rawValue: "LeftEye")
    /// The middle of the right eye.
    public static let rightEye = FaceLandmarkType(rawValue: "RightEye")
    /// The left cheek; no model here gives it.
    public static let leftCheek = FaceLandmarkType(rawValue: "LeftCheek")
    /// The right cheek; no model here gives it.
    public static let rightCheek = FaceLandmarkType(rawValue: "RightCheek")
    /// The middle between the nostrils. The models here give the tip of the nose, a little above.
    public static let noseBase = FaceLandmarkType(rawValue: "NoseBase")

    private static let names: [ObjectPoint.Name: FaceLandmarkType] = [
        .leftEye: .leftEye, .rightEye: .rightEye, .noseTip: .noseBase, .mouthCenter: .mouthBottom,
        .leftEarTragion: .leftEar, .rightEarTragion: .rightEar,
    ]

    init?(_ name: ObjectPoint.Name) {
        guard let type = Self.names[name] else { return nil }
        self = type
    }
}
