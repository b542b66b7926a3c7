import ModelHubProtocol
import Synchronization

/// A document of a provider that the hub reads for many requests: requests that need it meanwhile wait for the same reading.
final class OpenIDReading<Document: Sendable>: Sendable {
    /// A document, and when its reading began.
    struct Read: Sendable {
        var document: Document
        var time: ContinuousClock.Instant
    }

    private struct State {
        var last: Read?
        /// The last failure, and when it happened. It never makes a document that is there older or newer.
        var failure: (error: HubError, time: ContinuousClock.Instant)?
    }

    private let lifetime: Duration
    private let shortestInterval: Duration
    private let read: @Sendable () async throws(HubError) -> Document
    private let state = Mutex(State())
    private let readings = SharedCall<Bool, Read, HubError>()

    /// - Parameters:
    ///   - lifetime: The time after which the document is read again.
    ///   - shortestInterval: The shortest time between two readings.
    ///   - read: Reads the document.
    init(
        lifetime: Duration,
        shortestInterval: Duration,
        read: @escaping @Sendable () async throws(HubError) -> Document
    ) {
        (self.lifetime, self.shortestInterval, self.read) = (lifetime, shortestInterval, read)
    }

    /// The document of a reading that is not too old; nil if there is none.
    var current: Read? {
        state.withLock { $0.last.flatMap { $0.time.advanced(by: lifetime) > .now ? $0 : nil } }
    }

    /// The current document, or else that of the reading under way or of a new one.
    ///
    /// - Throws: `.unavailable` if the reading fails, or a reading failed a moment ago.
    func document() async throws(HubError) -> Document {
        if let current { return current.document }
        return try await newer(than: nil).document
    }

    /// The document of a later reading than that of a document, or the same one if its reading was a moment ago.
    ///
    /// - Parameter known: The document that does not suffice; nil for none.
    /// - Throws: `.unavailable` if the reading fails, or a reading failed a moment ago.
    func newer(than known: Read?) async throws(HubError) -> Read {
        try await readings.result(for: true) { () async throws(HubError) in
            let (current, last, failure) = (
                self.current, self.state.withLock { $0.last }, self.state.withLock { $0.failure }
            )
            // Another reading has ended since the caller looked.
            if let current, current.time != known?.time { return current }
            let begin = ContinuousClock.now
            if var error = failure?.error, let rest = self.rest(after: failure?.time, at: begin) {
                error.retryAfter = rest
                throw error
            }
            if let last, self.rest(after: last.time, at: begin) != nil { return last }
            do throws(HubError) {
                let new = Read(document: try await self.read(), time: begin)
                self.state.withLock { ($0.last, $0.failure) = (new, nil) }
                return new
            } catch {
                self.state.withLock { $0.failure = (error, .now) }
                throw error
            }
        }
    }

    /// The time until another reading may begin; nil if it may now.
    private func rest(after time: ContinuousClock.Instant?, at now: ContinuousClock.Instant) -> Duration? {
        guard let end = time?.advanced(by: shortestInterval), end > now else { return nil }
        return now.duration(to: end)
    }
}
