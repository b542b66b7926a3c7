import FacadeSupport
public import Foundation

/// The common options of image labelers. (`MLKCommonImageLabelerOptions`)
///
/// Create an `ImageLabelerOptions` or a `CustomImageLabelerOptions`. A labeler copies its options when it is created.
#if canImport(ObjectiveC)
    @objc(MLKCommonImageLabelerOptions) @objcMembers
#endif
open class CommonImageLabelerOptions: NSObject {
    /// Labels below this confidence are dropped. Nil, or a number outside 0…1, means 0.5 for the built-in labeler. For
    /// your own model it means the hub's threshold for the model, otherwise the threshold in the model's metadata,
    /// otherwise 0.
    public final var confidenceThreshold: NSNumber?

    // Set by the options of custom models.
    package final var maximumLabelCount: Int
    private let model: LabelerSettings

    /// For classes of this package only.
    package init(_ model: LabelerSettings) {
        self.model = model
        maximumLabelCount = model.maximumLabels
    }

    final var settings: LabelerSettings {
        var settings = model
        settings.confidenceThreshold = confidenceThreshold?.floatValue
        settings.maximumLabels = maximumLabelCount
        return settings
    }
}
