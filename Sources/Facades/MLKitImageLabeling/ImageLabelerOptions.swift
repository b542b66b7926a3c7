import FacadeSupport
public import MLKitImageLabelingCommon

/// Options of a labeler with the built-in model. (`MLKImageLabelerOptions`)
///
/// The built-in model is a coarse classifier. It labels pictures as fashion good, home good, food, place or plant;
/// other pictures get no label. It does not replace ML Kit's built-in labeler, which has more than 400 labels. To get
/// more labels, pass your own model to `CustomImageLabelerOptions`.
public final class ImageLabelerOptions: CommonImageLabelerOptions {
    /// Creates options with a threshold of 0.5.
    public init() {
        var settings = LabelerSettings(model: .builtIn)
        settings.defaultThreshold = 0.5
        super.init(settings)
    }
}
