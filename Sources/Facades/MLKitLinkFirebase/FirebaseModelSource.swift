import Foundation
public import MLKitCommon
// Configures the hub; the export makes `import MLKit` sufficient.
@_exported import ModelHubApp

/// A model that was published with Firebase, now on a hub. (`MLKFirebaseModelSource`)
///
/// `HubApp.configure()` chooses the hub.
#if canImport(ObjectiveC)
    @objc(MLKFirebaseModelSource) @objcMembers
#endif
public final class FirebaseModelSource: RemoteModelSource {
    /// The name of the model on the hub.
    public var name: String { modelName }

    /// Creates a source from the name of a model.
    ///
    /// - Parameter name: The published name of the model, as shown in the console.
    public init(name: String) {
        super.init(modelName: name)
    }
}
