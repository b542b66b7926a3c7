/// A text that no log, error or dump may show.
///
/// Logging libraries print whole values with all that they contain, so every secret that a value keeps has this type.
public struct Secret: Sendable, Hashable, CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The secret itself.
    public var text: String

    /// Creates a secret.
    public init(_ text: String) { self.text = text }

    /// `<secret>`.
    public var description: String { "<secret>" }
    /// `<secret>`.
    public var debugDescription: String { description }
    /// A mirror without children.
    public var customMirror: Mirror { Mirror(self, children: []) }
}
