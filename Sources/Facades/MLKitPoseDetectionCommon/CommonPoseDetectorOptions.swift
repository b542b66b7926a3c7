import FacadeSupport
public import Foundation
public import MLKitCommon

/// The common options of pose detectors. (`MLKCommonPoseDetectorOptions`)
///
/// Create a `PoseDetectorOptions` or an `AccuratePoseDetectorOptions`. A detector copies its options when it is created.
#if canImport(ObjectiveC)
    @objc(MLKCommonPoseDetectorOptions) @objcMembers
#endif
open class CommonPoseDetectorOptions: NSObject {
    /// Whether pictures are independent or form a stream. The models here look at each picture by itself, so it makes no difference.
    public final var detectorMode = PoseDetectorMode.stream
    /// A model for poses, for example MoveNet or a YOLO for poses; nil for the model `movenet-lightning`, which is a resource of the
    /// program or installed by `sightline models install movenet-lightning`.
    ///
    /// ML Kit has no such property, since its models are built in.
    public final var localModel: LocalModel?

    /// The name of the model in the catalog.
    private static let usualModel = "movenet-lightning"

    /// For classes of this package only.
    package override init() {}

    final var settings: PointSettings {
        PointSettings(model: localModel?.source ?? .installed(Self.usualModel), neededPoint: .leftShoulder)
    }
}

/// Whether pictures are independent or form a stream. (`MLKPoseDetectorMode`)
public struct PoseDetectorMode: RawRepresentable, Sendable, Hashable {
    /// The number of the mode.
    public let rawValue: Int

    /// Creates a mode from its number.
    public init(rawValue: Int) { self.rawValue = rawValue }

    /// Pictures are independent.
    public static let singleImage = PoseDetectorMode(rawValue: 0)
    /// Pictures form a stream.
    public static let stream = PoseDetectorMode(rawValue: 1)
}
