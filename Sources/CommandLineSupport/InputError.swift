/// The reason why an argument or a field of a request cannot be used, in one sentence.
package struct InputError: Error, CustomStringConvertible {
    /// The sentence.
    package let reason: String
    /// The sentence.
    package var description: String { reason }

    /// Creates the error.
    package init(reason: String) { self.reason = reason }
}
