import Foundation
// Code that imports this module uses the names of the common one, as with ML Kit's frameworks.
@_exported public import MLKitSegmentationCommon

/// Options of a segmenter of selfies. (`MLKSelfieSegmenterOptions`)
#if canImport(ObjectiveC)
    @objc(MLKSelfieSegmenterOptions) @objcMembers
#endif
public final class SelfieSegmenterOptions: CommonSegmenterOptions {
    /// Creates options for a stream of pictures, with masks of the pictures' size.
    public override init() { super.init() }
}
