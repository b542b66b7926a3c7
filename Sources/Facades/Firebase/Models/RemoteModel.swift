/// A model that a hub hosts, by the name under which it was published.
public class RemoteModel: @unchecked Sendable, Hashable {
    // Unchecked: the property never changes, and all subclasses are in this file, final and without state.

    /// The name under which it was published.
    public let name: String

    fileprivate init(name: String) { self.name = name }

    /// Whether both are models of one kind and one name.
    public static func == (left: RemoteModel, right: RemoteModel) -> Bool {
        type(of: left) == type(of: right) && left.name == right.name
    }

    /// Equal for equal models.
    public func hash(into hasher: inout Hasher) { hasher.combine(name) }
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
