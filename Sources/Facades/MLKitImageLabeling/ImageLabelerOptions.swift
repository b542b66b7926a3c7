import FacadeSupport
public import MLKitImageLabelingCommon

/// Options of a labeler with the built-in model. (`MLKImageLabelerOptions`)
///
/// The built-in model is the coarse classifier: fashion good, home good, food, place or plant, and nothing of other pictures. It
/// is no replacement for ML Kit's built-in labeler, which knows more than 400 labels; for those give a model of your own to
/// `CustomImageLabelerOptions`.
public final class ImageLabelerOptions: CommonImageLabelerOptions {
    /// A threshold of 0.5.
    public init() {
        var settings = LabelerSettings(model: .builtIn)
        settings.defaultThreshold = 0.5
        super.init(settings)
    }
}
