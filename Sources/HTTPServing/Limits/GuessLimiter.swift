import Logging
import Synchronization

/// Slows down clients that guess tokens, keys, signatures or sign-in links.
///
/// A client may present 50 wrong credentials, and one more every two seconds. Beyond that, the server answers wrong ones with status
/// 429. A right credential is always accepted, because a wrong one costs the server as little as a right one, and clients that share an
/// address, such as those behind a proxy, must not lock each other out. A wrong credential that is presented again does not count as
/// another guess, and those that a web page sends through a victim's browser do not count at all.
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

    /// Counts a wrong credential of a request.
    ///
    /// - Throws: `.tooMany` for a client with too many wrong credentials.
    package func count(_ credential: String, of request: APIRequest) throws(RequestError) {
        try count(
            credential,
            from: request.client,
            isFromOtherSite: request.isFromOtherSite,
            request.logger
        )
    }

    /// Counts a wrong credential.
    ///
    /// - Parameter isFromOtherSite: Whether a page of another site sent it through a browser.
    /// - Throws: `.tooMany` for a client with too many wrong credentials.
    package func count(
        _ credential: String,
        from client: ClientAddress,
        isFromOtherSite: Bool,
        _ logger: Logger
    ) throws(RequestError) {
        guard !isFromOtherSite else { return }
        if let wait = limiter.wait(for: client.network, taking: 0) { throw .tooMany("failed sign-ins", wait: wait) }
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
