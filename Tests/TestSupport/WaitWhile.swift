import Testing

/// A condition that a test waited for did not come about.
public struct StillWaiting: Error, CustomStringConvertible {
    /// Where the test waited.
    public let location: SourceLocation

    /// The place, in a sentence.
    public var description: String { "\(location) waited for a quarter of an hour" }
}

/// Waits as long as a condition holds, without blocking a thread.
///
/// - Throws: ``StillWaiting`` if the condition still holds after a quarter of an hour, which is less than the hang limit, and the errors
///   of `condition`.
public func wait(
    while condition: () async throws -> Bool,
    sourceLocation: SourceLocation = #_sourceLocation
) async throws {
    let end = ContinuousClock.now + .seconds(900)
    while try await condition() {
        if ContinuousClock.now > end { throw StillWaiting(location: sourceLocation) }
        try await Task.sleep(for: .milliseconds(2))
    }
}
