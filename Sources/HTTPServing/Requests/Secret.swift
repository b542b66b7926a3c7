/// A text that no log, error or dump may show.
///
/// Logging libraries print whole values with all that they contain, so every secret that a value keeps has this type.
package struct Secret: Sendable, Hashable, CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The secret itself.
    package var text: String

    /// Creates a secret.
    package init(_ text: String) { self.text = text }

    /// `<secret>`.
    package var description: String { "<secret>" }
    /// `<secret>`.
    package var debugDescription: String { description }
    /// A mirror without children.
    package var customMirror: Mirror { Mirror(self, children: []) }
}
