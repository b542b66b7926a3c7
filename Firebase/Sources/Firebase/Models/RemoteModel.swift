import Foundation

/// A model that a hub hosts, by the name under which it was published.
public class RemoteModel: NSObject, @unchecked Sendable {
    // Unchecked: the property never changes, and all subclasses are in this file, final and without state.

    /// The name under which it was published.
    public let name: String

    fileprivate init(name: String) { self.name = name }

    /// Whether another object is a model of the same kind and name.
    public override func isEqual(_ object: Any?) -> Bool {
        guard let other = object as? RemoteModel else { return false }
        return type(of: self) == type(of: other) && name == other.name
    }

    /// Equal for equal models.
    public override var hash: Int { name.hashValue }
}

/// A model that AutoML Vision Edge trained, or another classifier, for a labeler.
public final class AutoMLRemoteModel: RemoteModel, @unchecked Sendable {
    /// A model by its name.
    public override init(name: String) { super.init(name: name) }
}

/// A model for an interpreter.
public final class CustomRemoteModel: RemoteModel, @unchecked Sendable {
    /// A model by its name.
    public override init(name: String) { super.init(name: name) }
}
