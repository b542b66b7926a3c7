import Testing

/// A condition that a test waited for did not come about.
public struct StillWaiting: Error, CustomStringConvertible {
    /// Where the test waited.
    public let location: SourceLocation
    /// The time that was too short.
    public let limit: Duration

    /// The place, in a sentence.
    public var description: String { "\(location) waited for \(limit.components.seconds) seconds" }
}

/// Waits as long as a condition holds, without blocking a thread.
///
/// - Throws: ``StillWaiting`` if the condition still holds after a time that is enough on a busy machine, and the errors of `condition`.
public func wait(
    atMost limit: Duration = .seconds(300),
    while condition: () async throws -> Bool,
    sourceLocation: SourceLocation = #_sourceLocation
) async throws {
    let end = ContinuousClock.now + limit
    while try await condition() {
        if ContinuousClock.now > end { throw StillWaiting(location: sourceLocation, limit: limit) }
        try await Task.sleep(for: .milliseconds(2))
    }
}
