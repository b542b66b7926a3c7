public import MLKitCommon

/// A model as it was published with Firebase, which here is a hub. (`MLKFirebaseModelSource`)
///
/// Which hub that is, the default app says: `FirebaseApp.configure()` of the module `FirebaseCore`.
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
