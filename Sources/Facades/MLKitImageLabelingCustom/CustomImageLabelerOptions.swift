import FacadeSupport
import Foundation
public import MLKitCommon
public import MLKitImageLabelingCommon

/// Options of a labeler with your own classifier. (`MLKCustomImageLabelerOptions`)
#if canImport(ObjectiveC)
    @objc(MLKCustomImageLabelerOptions) @objcMembers
#endif
public final class CustomImageLabelerOptions: CommonImageLabelerOptions {
    /// The maximum number of labels; a value below 1 means 10.
    public var maxResultCount: Int {
        get { maximumLabelCount }
        set { maximumLabelCount = newValue }
    }

    /// Creates options with a classifier on this machine.
    public init(localModel: LocalModel) {
        super.init(LabelerSettings(model: localModel.source))
    }

    /// Creates options with a classifier on a hub. It must be downloaded before the first picture; otherwise the call
    /// returns an error with code 9.
    public init(remoteModel: CustomRemoteModel) {
        super.init(LabelerSettings(model: ModelManager.modelManager().source(of: remoteModel)))
    }
}
