import FacadeSupport
public import Foundation

/// What all options of image labelers have. (`MLKCommonImageLabelerOptions`)
///
/// Make an `ImageLabelerOptions` or a `CustomImageLabelerOptions`. A labeler copies its options when it is made.
open class CommonImageLabelerOptions: NSObject {
    /// Labels below this confidence are dropped. Nil, or a number outside 0…1, means 0.5 for the built-in labeler, and for a
    /// model of your own the threshold that the hub names for it, otherwise the one in its metadata, or 0 if it has none.
    public final var confidenceThreshold: NSNumber?

    // What the options of custom models set.
    package final var maximumLabelCount: Int
    private let model: LabelerSettings

    /// For the classes of the package alone.
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
