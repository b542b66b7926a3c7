/// The number of attempts, and the pauses between them, when a request fails temporarily.
///
/// The pause before attempt n + 1 is a random part, between half and all, of `base` · 2ⁿ⁻¹ and at most `maximum`. The
/// random part keeps many clients from returning at the same time. If a server states a delay (`Retry-After`), the
/// client waits that long, but at most `maximum`.
public struct RetryPolicy: Sendable, Hashable {
    /// The total number of attempts, at least 1.
    public var tries: Int
    /// The pause before the second attempt.
    public var base: Duration
    /// The longest pause.
    public var maximum: Duration

    /// Creates a policy. The default is five attempts within some twenty seconds.
    public init(tries: Int = 5, base: Duration = .seconds(1), maximum: Duration = .seconds(30)) {
        self.tries = tries
        self.base = base
        self.maximum = maximum
    }

    /// The pause after `tries` attempts, from a random number between 0 and 1 and the server's `Retry-After`, if any;
    /// nil if no attempts remain.
    package func pause(
        after tries: Int,
        retryAfter: Duration? = nil,
        random: Double = .random(in: 0...1)
    ) -> Duration? {
        guard tries < self.tries else { return nil }
        var pause = base
        for _ in 1..<max(tries, 1) where pause < maximum { pause *= 2 }
        pause = min(pause, maximum) * (0.5 + random / 2)
        return max(pause, min(retryAfter ?? .zero, maximum))
    }
}

/// The attempts that remain for a request or a download.
package struct Attempts: Sendable {
    private let policy: RetryPolicy
    private var count = 1
    private var mostBytes = 0

    /// Creates the attempts of a policy.
    package init(_ policy: RetryPolicy) { self.policy = policy }

    /// Restarts the count, because the last attempt made progress.
    package mutating func renew() { count = 1 }

    /// Notes the bytes that an earlier run left.
    package mutating func resume(at byteCount: Int) { mostBytes = byteCount }

    /// Restarts the count if more bytes arrived than after all earlier attempts, so that a link that breaks often delays
    /// a long download but does not end it.
    package mutating func renew(at byteCount: Int) {
        guard byteCount > mostBytes else { return }
        mostBytes = byteCount
        renew()
    }

    /// The pause before the next attempt, which it counts; nil if none remains.
    ///
    /// - Parameter retryAfter: The delay that the server asks for; the policy bounds it.
    package mutating func nextPause(retryAfter: Duration? = nil) -> Duration? {
        guard let pause = policy.pause(after: count, retryAfter: retryAfter) else { return nil }
        count += 1
        return pause
    }
}
