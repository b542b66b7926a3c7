import FacadeSupport
public import Foundation
public import MLKitCommon

/// Options of a face detector. (`MLKFaceDetectorOptions`)
///
/// A detector copies its options when it is created.
#if canImport(ObjectiveC)
    @objc(MLKFaceDetectorOptions) @objcMembers
#endif
public final class FaceDetectorOptions: NSObject {
    /// Whether faces are classified. The models here classify none, so the probabilities of a ``Face`` are absent in both modes.
    public var classificationMode = FaceDetectorClassificationMode.none
    /// Whether faces are also searched in slices of the picture, where small ones are found, at several times the cost. It makes no difference
    /// for a stream.
    public var performanceMode = FaceDetectorPerformanceMode.fast
    /// Whether faces have landmarks.
    public var landmarkMode = FaceDetectorLandmarkMode.none
    /// Whether faces have contours. The models here give none, so ``Face/contours`` is empty in both modes.
    public var contourMode = FaceDetectorContourMode.none
    /// The smallest width of a face as a share of the picture's width. Smaller faces are left out.
    public var minFaceSize: CGFloat = 0.1
    /// Whether pictures form a stream in which faces have identities.
    @nonobjc public var isTrackingEnabled = false
    /// A detector of faces with points, for example MediaPipe's; nil for the model `mediapipe-face-front`, which is a resource of the
    /// program or installed by `sightline models install mediapipe-face-front`.
    ///
    /// ML Kit has no such property, since its model is built in.
    public var localModel: LocalModel?

    /// Creates options with all modes off.
    public override init() {}

    /// The name of the model in the catalog.
    static let usualModel = "mediapipe-face-front"

    var settings: PointSettings {
        var settings = PointSettings(model: localModel?.source ?? .installed(Self.usualModel), neededPoint: .leftEye)
        settings.tracksObjects = isTrackingEnabled
        settings.searchesSlices = performanceMode == .accurate
        return settings
    }
}

/// Whether faces are classified. (`MLKFaceDetectorClassificationMode`)
public struct FaceDetectorClassificationMode: RawRepresentable, Sendable, Hashable {
    /// The number of the mode.
    public let rawValue: Int

    /// Creates a mode from its number.
    public init(rawValue: Int) { self.rawValue = rawValue }

    /// Faces are not classified.
    public static let none = FaceDetectorClassificationMode(rawValue: 1)
    /// Faces are classified, where the model can.
    public static let all = FaceDetectorClassificationMode(rawValue: 2)
}

/// Whether a face detector is fast or finds small faces. (`MLKFaceDetectorPerformanceMode`)
public struct FaceDetectorPerformanceMode: RawRepresentable, Sendable, Hashable {
    /// The number of the mode.
    public let rawValue: Int

    /// Creates a mode from its number.
    public init(rawValue: Int) { self.rawValue = rawValue }

    /// The whole picture alone is searched.
    public static let fast = FaceDetectorPerformanceMode(rawValue: 1)
    /// Slices of the picture are searched, too.
    public static let accurate = FaceDetectorPerformanceMode(rawValue: 2)
}

/// Whether faces have landmarks. (`MLKFaceDetectorLandmarkMode`)
public struct FaceDetectorLandmarkMode: RawRepresentable, Sendable, Hashable {
    /// The number of the mode.
    public let rawValue: Int

    /// Creates a mode from its number.
    public init(rawValue: Int) { self.rawValue = rawValue }

    /// Faces have no landmarks.
    public static let none = FaceDetectorLandmarkMode(rawValue: 1)
    /// Faces have all landmarks that the model gives.
    public static let all = FaceDetectorLandmarkMode(rawValue: 2)
}

/// Whether faces have contours. (`MLKFaceDetectorContourMode`)
public struct FaceDetectorContourMode: RawRepresentable, Sendable, Hashable {
    /// The number of the mode.
    public let rawValue: Int

    /// Creates a mode from its number.
    public init(rawValue: Int) { self.rawValue = rawValue }

    /// Faces have no contours.
    public static let none = FaceDetectorContourMode(rawValue: 1)
    /// Faces have contours, where the model gives them.
    public static let all = FaceDetectorContourMode(rawValue: 2)
}
