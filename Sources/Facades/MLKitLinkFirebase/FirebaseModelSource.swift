public import MLKitCommon
// Configures the hub where the models are: with it `import MLKit` is enough.
@_exported import ModelHubApp

/// A model as it was published with Firebase, which here is a hub. (`MLKFirebaseModelSource`)
///
/// `HubApp.configure()` chooses the hub.
public final class FirebaseModelSource: RemoteModelSource {
    /// The name under which the model was published.
    public var name: String { modelName }

    /// A model by its name.
    ///
    /// - Parameter name: the name under which it was published, as it stands in the console.
    public init(name: String) {
        super.init(modelName: name)
    }
}
