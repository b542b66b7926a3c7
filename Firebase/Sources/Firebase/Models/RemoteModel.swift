import Foundation

/// A model on a hub, by its published name.
#if canImport(ObjectiveC)
    @objc(FIRRemoteModel) @objcMembers
#endif
public class RemoteModel: NSObject, @unchecked Sendable {
    // Unchecked: the property never changes, and all subclasses are in this file, final and without state.

    /// The name of the model on the hub.
    public let name: String

    fileprivate init(name: String) { self.name = name }

    /// Whether another object is a model of the same kind with the same name.
    public override func isEqual(_ object: Any?) -> Bool {
        guard let other = object as? RemoteModel else { return false }
        return type(of: self) == type(of: other) && name == other.name
    }

    /// Equal for equal models.
    public override var hash: Int { name.hashValue }
}

/// A classifier for a labeler, for example one that AutoML Vision Edge trained.
#if canImport(ObjectiveC)
    @objc(FIRAutoMLRemoteModel) @objcMembers
#endif
public final class AutoMLRemoteModel: RemoteModel, @unchecked Sendable {
    /// Creates a model from its name.
    public override init(name: String) { super.init(name: name) }
}

/// A model for an interpreter.
#if canImport(ObjectiveC)
    @objc(FIRCustomRemoteModel) @objcMembers
#endif
public final class CustomRemoteModel: RemoteModel, @unchecked Sendable {
    /// Creates a model from its name.
    public override init(name: String) { super.init(name: name) }
}
