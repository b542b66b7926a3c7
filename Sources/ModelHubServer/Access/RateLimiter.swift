import Foundation
import Synchronization

/// How many requests a client may make: a bucket of tokens for each client, filled at a steady rate.
final class RateLimiter: Sendable {
    private struct Bucket {
        var tokens: Double
        var time: ContinuousClock.Instant
    }

    private let rate: Double
    /// Requests at once.
    let burst: Double
    private let buckets = Mutex<[String: Bucket]>([:])

    /// How many clients are remembered; the fuller buckets are forgotten first, which costs nothing.
    private static let maximumClients = 16_384

    /// - Parameters:
    ///   - rate: requests in a second.
    ///   - burst: requests at once.
    init(rate: Double, burst: Double) {
        self.rate = rate
        self.burst = burst
    }

    /// Takes a token; gives nil, or how long a client must wait that has none left.
    func wait(for client: String, cost: Double = 1, now: ContinuousClock.Instant = .now) -> Duration? {
        buckets.withLock { buckets in
            if buckets.count >= Self.maximumClients {
                buckets = buckets.filter { filled($0.value, at: now) < burst }
                if buckets.count >= Self.maximumClients { buckets.removeAll() }
            }
            var tokens = buckets[client].map { filled($0, at: now) } ?? burst
            guard tokens >= cost else { return .seconds((cost - tokens) / rate) }
            tokens -= cost
            buckets[client] = Bucket(tokens: tokens, time: now)
            return nil
        }
    }

    private func filled(_ bucket: Bucket, at now: ContinuousClock.Instant) -> Double {
        min(bucket.tokens + (now - bucket.time) / .seconds(1) * rate, burst)
    }
}
