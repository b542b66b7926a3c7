import Foundation

/// A model that a hub hosts. (`MLKRemoteModel`)
///
/// Make a ``CustomRemoteModel``.
public class RemoteModel: NSObject, @unchecked Sendable {
    // Sendable, since it never changes: the name is a constant, there is no initialiser outside the module, it can be subclassed
    // in the module alone, and the one subclass there has nothing of its own.

    /// The name under which it was published.
    public let name: String

    init(name: String) {
        self.name = name
    }
}

/// A model of your own that a hub hosts. (`MLKCustomRemoteModel`)
///
/// ```swift
/// let remoteModel = CustomRemoteModel(remoteModelSource: FirebaseModelSource(name: "your_remote_model"))
/// ```
public final class CustomRemoteModel: RemoteModel, @unchecked Sendable {
    /// A model by where it is hosted.
    ///
    /// - Parameter remoteModelSource: a `FirebaseModelSource`.
    public init(remoteModelSource: RemoteModelSource) {
        super.init(name: remoteModelSource.modelName)
    }
}

/// Where a model is hosted. (`MLKRemoteModelSource`)
///
/// Make a `FirebaseModelSource`, of the module `MLKitLinkFirebase`.
open class RemoteModelSource: NSObject {
    /// The name under which the model was published.
    package let modelName: String

    /// For the classes of the package alone.
    package init(modelName: String) {
        self.modelName = modelName
    }
}
