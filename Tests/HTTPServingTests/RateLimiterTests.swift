import HTTPServing
import SightlineTestSupport
import Testing

@Suite(.hangLimit)
struct RateLimiterTests {
    private let start = ContinuousClock.now

    @Test func aClientHasABurstAndThenARate() {
        let limiter = RateLimiter<String>(rate: 2, burst: 3)
        for _ in 0..<3 { #expect(limiter.wait(for: "a", now: start) == nil) }
        #expect(limiter.wait(for: "a", now: start) == .milliseconds(500))
        #expect(limiter.wait(for: "b", now: start) == nil)
        #expect(limiter.wait(for: "a", now: start + .milliseconds(500)) == nil)
        #expect(limiter.wait(for: "a", now: start + .milliseconds(500)) != nil)
    }

    @Test func workBeyondARequestIsOwed() {
        let limiter = RateLimiter<String>(rate: 1, burst: 10)
        #expect(limiter.wait(for: "a", now: start) == nil)
        limiter.charge(12, to: "a", now: start)
        #expect(limiter.wait(for: "a", now: start) == .seconds(4))
        // Nobody owes more than a burst.
        limiter.charge(1000, to: "a", now: start)
        #expect(limiter.wait(for: "a", now: start) == .seconds(11))
        #expect(limiter.wait(for: "a", now: start + .seconds(11)) == nil)
    }

    @Test func aLookTakesNothing() {
        let limiter = RateLimiter<String>(rate: 1, burst: 1)
        for _ in 0..<5 { #expect(limiter.wait(for: "a", taking: 0, now: start) == nil) }
        #expect(limiter.wait(for: "a", now: start) == nil)
        #expect(limiter.wait(for: "a", taking: 0, now: start) != nil)
    }

    @Test func manyOtherClientsDoNotClearADebt() {
        let limiter = RateLimiter<Int>(rate: 0.001, burst: 2)
        for _ in 0..<2 { #expect(limiter.wait(for: -1, now: start) == nil) }
        for client in 0..<16_400 {
            _ = limiter.wait(for: client, now: start)
            if client == 16_000 { #expect(limiter.wait(for: 15_999, taking: 2, now: start) == nil) }
        }
        // One of the clients of the last time, when the limit was passed.
        #expect(limiter.wait(for: 15_999, now: start) != nil)
    }
}
