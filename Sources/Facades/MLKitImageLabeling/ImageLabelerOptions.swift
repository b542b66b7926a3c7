import FacadeSupport
import Foundation
public import MLKitImageLabelingCommon

/// Options of a labeler with the built-in model. (`MLKImageLabelerOptions`)
///
/// The built-in model labels a picture with everyday things, places and activities. It knows fewer labels than ML Kit's
/// built-in labeler, which has more than 400. To get other labels, pass your own model to
/// `CustomImageLabelerOptions`.
#if canImport(ObjectiveC)
    @objc(MLKImageLabelerOptions) @objcMembers
#endif
public final class ImageLabelerOptions: CommonImageLabelerOptions {
    /// Creates options with a threshold of 0.5.
    public init() {
        var settings = LabelerSettings(model: .builtInLabeler)
        settings.defaultThreshold = 0.5
        super.init(settings)
    }
}
