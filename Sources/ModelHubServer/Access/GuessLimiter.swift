import Logging
import Synchronization

/// Slows down clients that try tokens, keys, signatures or sign-in links.
///
/// A client may show 50 wrong ones, and one more every two seconds. After that, its credentials are refused before they are
/// looked up, right or wrong. A wrong one that is shown again is no other guess: an app whose key was revoked thus does not lock
/// out others that share its address.
final class GuessLimiter: Sendable {
    private struct Guess: Hashable {
        var client: ClientNetwork
        /// Swift's own hash, which is seeded anew by each process, is enough to know a text again.
        var hash: Int
    }

    private struct State {
        var guesses = RecentValues<Guess, Bool>(limit: 8192)
        var notices = NoticeCounter()
    }

    private let limiter = RateLimiter<ClientNetwork>(rate: 0.5, burst: 50)
    private let state = Mutex(State())

    /// Refuses a client that was wrong too often.
    func check(_ client: ClientAddress) throws(HubError) {
        guard let wait = limiter.wait(for: client.network, taking: 0) else { return }
        throw .tooMany("failed sign-ins", wait: wait)
    }

    /// Counts a credential that was wrong.
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
    /// The refusal of a client that does something too often.
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
