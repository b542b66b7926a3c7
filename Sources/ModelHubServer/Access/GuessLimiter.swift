import Logging
import Synchronization

/// Slows down clients that guess tokens, keys, signatures or sign-in links.
///
/// A client may present 50 wrong credentials, and one more every two seconds. Beyond that, the hub rejects its
/// credentials without checking them. A wrong credential that is presented again does not count as another guess, so an
/// app with a revoked key does not lock out other apps with the same address.
final class GuessLimiter: Sendable {
    private struct Guess: Hashable {
        var client: ClientNetwork
        /// Swift's own hash, with a random seed per process, is sufficient to recognize a text.
        var hash: Int
    }

    private struct State {
        var guesses = RecentValues<Guess, Bool>(limit: 8192)
        var notices = NoticeCounter<ClientNetwork>()
    }

    private let limiter = RateLimiter<ClientNetwork>(rate: 0.5, burst: 50)
    private let state = Mutex(State())

    /// Throws an error for a client with too many wrong credentials.
    func check(_ client: ClientAddress) throws(HubError) {
        guard let wait = limiter.wait(for: client.network, taking: 0) else { return }
        throw .tooMany("failed sign-ins", wait: wait)
    }

    /// Counts a wrong credential.
    func count(_ credential: String, from client: ClientAddress, _ logger: Logger) {
        let guess = Guess(client: client.network, hash: credential.hashValue)
        let (isNew, notice) = state.withLock { state in
            let isNew = state.guesses[guess] == nil
            if isNew { state.guesses[guess] = true }
            return (isNew, state.notices.count(client.network))
        }
        if isNew { limiter.charge(1, to: client.network) }
        if let notice {
            logger.notice("wrong credentials", metadata: ["peer": "\(client)", "attempts": "\(notice)"])
        }
    }
}

extension HubError {
    /// The error for a client that exceeds a limit.
    static func tooMany(_ things: String, wait: Duration) -> HubError {
        HubError(
            .resourceExhausted,
            "Too many \(things) from this address; wait \(wait.wholeSeconds) s, then try again.",
            retryAfter: wait
        )
    }
}

extension Duration {
    /// The duration in seconds, rounded up to at least one.
    var wholeSeconds: Int64 { max(components.seconds + (components.attoseconds > 0 ? 1 : 0), 1) }
}
