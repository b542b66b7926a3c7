/// How often a request is repeated that fails for no lasting reason, and after how long.
///
/// The pause before try n + 1 is `base` · 2ⁿ⁻¹, at most `maximum`, of which a random part between half and all is waited, so
/// that many clients do not come back at once. A server that says how long to wait (`Retry-After`) is obeyed up to `maximum`.
public struct RetryPolicy: Sendable, Hashable {
    /// How many tries a download has in all, at least 1.
    public var tries: Int
    /// The pause before the second try.
    public var base: Duration
    /// The longest pause.
    public var maximum: Duration

    /// Five tries within some twenty seconds, unless told otherwise.
    public init(tries: Int = 5, base: Duration = .seconds(1), maximum: Duration = .seconds(30)) {
        self.tries = tries
        self.base = base
        self.maximum = maximum
    }

    /// The pause after so many tries, for a random number from 0 to 1 and what the server asks for, if it does.
    func pause(after tries: Int, retryAfter: Duration? = nil, random: Double) -> Duration {
        var pause = base
        for _ in 1..<max(tries, 1) where pause < maximum { pause *= 2 }
        pause = min(pause, maximum) * (0.5 + random / 2)
        return max(pause, min(retryAfter ?? .zero, maximum))
    }
}
