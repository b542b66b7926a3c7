import Foundation

/// A model on a hub. (`MLKRemoteModel`)
///
/// Create a ``CustomRemoteModel``.
#if canImport(ObjectiveC)
    @objc(MLKRemoteModel) @objcMembers
#endif
public class RemoteModel: NSObject, @unchecked Sendable {
    // Sendable, because it never changes: the name is a constant, there is no initializer outside the module, only the
    // module can subclass it, and its single subclass adds no stored properties.

    /// The name of the model on the hub.
    public let name: String

    init(name: String) {
        self.name = name
    }
}

/// Your own model on a hub. (`MLKCustomRemoteModel`)
///
/// ```swift
/// let remoteModel = CustomRemoteModel(remoteModelSource: FirebaseModelSource(name: "your_remote_model"))
/// ```
#if canImport(ObjectiveC)
    @objc(MLKCustomRemoteModel) @objcMembers
#endif
public final class CustomRemoteModel: RemoteModel, @unchecked Sendable {
    /// Creates a model from its source.
    ///
    /// - Parameter remoteModelSource: A `FirebaseModelSource`.
    public init(remoteModelSource: RemoteModelSource) {
        super.init(name: remoteModelSource.modelName)
    }
}

/// The place where a model is hosted. (`MLKRemoteModelSource`)
///
/// Create a `FirebaseModelSource` of the module `MLKitLinkFirebase`.
#if canImport(ObjectiveC)
    @objc(MLKRemoteModelSource) @objcMembers
#endif
open class RemoteModelSource: NSObject {
    /// The name of the model on the hub.
    package let modelName: String

    /// For classes of this package only.
    package init(modelName: String) {
        self.modelName = modelName
    }
}
