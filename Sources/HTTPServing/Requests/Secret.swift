/// A text that no log, error or dump may show.
///
/// Logging libraries print whole values with all that they contain, so every secret that a value keeps has this type.
package struct Secret: Sendable, Hashable, CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The secret itself.
    package var text: String

    /// Creates a secret.
    package init(_ text: String) { self.text = text }

    /// Whether a text is the secret. The time does not reveal how much of it is right.
    package func matches(_ other: String) -> Bool {
        let (own, other) = (Array(text.utf8), Array(other.utf8))
        guard !own.isEmpty else { return false }
        var difference = own.count ^ other.count
        for (index, byte) in other.enumerated() { difference |= Int(byte ^ own[index % own.count]) }
        return difference == 0
    }

    /// `<secret>`.
    package var description: String { "<secret>" }
    /// `<secret>`.
    package var debugDescription: String { description }
    /// A mirror without children.
    package var customMirror: Mirror { Mirror(self, children: []) }
}
