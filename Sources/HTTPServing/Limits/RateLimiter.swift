import Synchronization

/// Limits the requests of each client with a token bucket, which is filled at a steady rate.
package final class RateLimiter<Client: Hashable & Sendable>: Sendable {
    private struct Bucket {
        var tokens: Double
        var time: ContinuousClock.Instant
    }

    private let rate: Double
    private let burst: Double
    private let buckets = Mutex(RecentValues<Client, Bucket>(limit: 16_384))

    /// - Parameters:
    ///   - rate: Tokens per second.
    ///   - burst: The capacity of a bucket.
    package init(rate: Double, burst: Double) {
        self.rate = rate
        self.burst = burst
    }

    /// Takes tokens from a client that has at least one token.
    ///
    /// A client may go into debt, by at most a burst of tokens.
    ///
    /// - Returns: Nil, or the time until the client has a token again.
    package func wait(
        for client: Client,
        taking cost: Double = 1,
        now: ContinuousClock.Instant = .now
    ) -> Duration? {
        buckets.withLock { buckets in
            let tokens = filled(buckets[client], at: now)
            guard tokens >= 1 else { return .seconds((1 - tokens) / rate) }
            if cost > 0 { buckets[client] = Bucket(tokens: max(tokens - cost, -burst), time: now) }
            return nil
        }
    }

    /// Takes tokens from a client regardless of its balance, for work that cost more than a request.
    package func charge(_ cost: Double, to client: Client, now: ContinuousClock.Instant = .now) {
        buckets.withLock { buckets in
            buckets[client] = Bucket(tokens: max(filled(buckets[client], at: now) - cost, -burst), time: now)
        }
    }

    private func filled(_ bucket: Bucket?, at now: ContinuousClock.Instant) -> Double {
        guard let bucket else { return burst }
        return min(bucket.tokens + (now - bucket.time) / .seconds(1) * rate, burst)
    }
}
