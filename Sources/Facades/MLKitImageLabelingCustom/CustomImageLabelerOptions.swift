import FacadeSupport
public import MLKitCommon
public import MLKitImageLabelingCommon

/// Options of a labeler with a classifier of your own. (`MLKCustomImageLabelerOptions`)
public final class CustomImageLabelerOptions: CommonImageLabelerOptions {
    /// At most this many labels; a value below 1 means 10.
    public var maxResultCount: Int {
        get { maximumLabelCount }
        set { maximumLabelCount = newValue }
    }

    /// Options with a classifier on this machine.
    public init(localModel: LocalModel) {
        super.init(LabelerSettings(model: localModel.source))
    }

    /// Options with a classifier of a hub. It must be downloaded when the first picture comes; otherwise that is an error of
    /// code 9.
    public init(remoteModel: CustomRemoteModel) {
        super.init(LabelerSettings(model: ModelManager.modelManager().source(of: remoteModel)))
    }
}
