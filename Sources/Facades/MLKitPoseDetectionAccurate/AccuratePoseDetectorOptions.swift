import Foundation
// Code that imports this module uses the names of the common one, as with ML Kit's frameworks.
@_exported public import MLKitPoseDetectionCommon

/// Options of a pose detector. (`MLKAccuratePoseDetectorOptions`)
///
/// The same model answers as for `PoseDetectorOptions`, unless ``MLKitPoseDetectionCommon/CommonPoseDetectorOptions/localModel`` names another.
#if canImport(ObjectiveC)
    @objc(MLKAccuratePoseDetectorOptions) @objcMembers
#endif
public final class AccuratePoseDetectorOptions: CommonPoseDetectorOptions {
    /// Creates options for a stream of pictures.
    public override init() { super.init() }
}
