public import Foundation
public import MLKitVision

/// The points along a part of a face. (`MLKFaceContour`)
///
/// No model here gives contours; the class exists for code that refers to it.
#if canImport(ObjectiveC)
    @objc(MLKFaceContour) @objcMembers
#endif
public final class FaceContour: NSObject, Sendable {
    /// The part of the face.
    public let type: FaceContourType
    /// The points, in their order.
    public let points: [VisionPoint]

    package init(type: FaceContourType, points: [VisionPoint]) { (self.type, self.points) = (type, points) }
}

/// A part of a face with a contour. (`MLKFaceContourType`)
public struct FaceContourType: RawRepresentable, Sendable, Hashable {
    /// The text.
    public let rawValue: String

    /// Creates a type from its text.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// The outline of the face.
    public static let face = FaceContourType(rawValue: "Face")
    /// The upper edge of the left eyebrow.
    public static let leftEyebrowTop = FaceContourType(rawValue: "LeftEyebrowTop")
    /// The lower edge of the left eyebrow.
    public static let leftEyebrowBottom = FaceContourType(rawValue: "LeftEyebrowBottom")
    /// The upper edge of the right eyebrow.
    public static let rightEyebrowTop = FaceContourType(rawValue: "RightEyebrowTop")
    /// The lower edge of the right eyebrow.
    public static let rightEyebrowBottom = FaceContourType(rawValue: "RightEyebrowBottom")
    /// The outline of the left eye.
    public static let leftEye = FaceContourType(rawValue: "LeftEye")
    /// The outline of the right eye.
    public static let rightEye = FaceContourType(rawValue: "RightEye")
    /// The upper edge of the upper lip.
    public static let upperLipTop = FaceContourType(rawValue: "UpperLipTop")
    /// The lower edge of the upper lip.
    public static let upperLipBottom = FaceContourType(rawValue: "UpperLipBottom")
    /// The upper edge of the lower lip.
    public static let lowerLipTop = FaceContourType(rawValue: "LowerLipTop")
    /// The lower edge of the lower lip.
    public static let lowerLipBottom = FaceContourType(rawValue: "LowerLipBottom")
    /// The bridge of the nose.
    public static let noseBridge = FaceContourType(rawValue: "NoseBridge")
    /// The lower edge of the nose.
    public static let noseBottom = FaceContourType(rawValue: "NoseBottom")
    /// The middle of the left cheek.
    public static let leftCheek = FaceContourType(rawValue: "LeftCheek")
    /// The middle of the right cheek.
    public static let rightCheek = FaceContourType(rawValue: "RightCheek")
}
