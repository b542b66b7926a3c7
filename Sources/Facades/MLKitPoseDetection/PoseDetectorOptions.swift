import Foundation
// Code that imports this module uses the names of the common one, as with ML Kit's frameworks.
@_exported public import MLKitPoseDetectionCommon

/// Options of a pose detector. (`MLKPoseDetectorOptions`)
#if canImport(ObjectiveC)
    @objc(MLKPoseDetectorOptions) @objcMembers
#endif
public final class PoseDetectorOptions: CommonPoseDetectorOptions {
    /// Creates options for a stream of pictures.
    public override init() { super.init() }
}
