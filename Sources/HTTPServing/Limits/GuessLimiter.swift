import Logging
import Synchronization

/// Slows down clients that guess tokens, keys, signatures or sign-in links.
///
/// A client may present 50 wrong credentials, and one more every two seconds. Beyond that, the server rejects its
/// credentials without checking them. A wrong credential that is presented again does not count as another guess, so an
/// app with a revoked key does not lock out other apps with the same address.
package final class GuessLimiter: Sendable {
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

    package init() {}

    /// - Throws: `.tooMany` for a client with too many wrong credentials.
    package func check(_ client: ClientAddress) throws(RequestError) {
        guard let wait = limiter.wait(for: client.network, taking: 0) else { return }
        throw .tooMany("failed sign-ins", wait: wait)
    }

    /// Counts a wrong credential.
    package func count(_ credential: String, from client: ClientAddress, _ logger: Logger) {
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
