import DurableFiles
import SightlineTestSupport
import Testing

/// A clock is trusted with the removal of what is old unless it may be wrong.
@Suite(.hangLimit) struct ClockTrustTests {
    /// The clocks of a machine.
    private final class Machine {
        var seconds = 1_780_000_000.0
        var instant = ContinuousClock.now
        var trust: ClockTrust

        init() { trust = ClockTrust(settling: .seconds(3600), pause: .seconds(86_400), start: instant) }

        func isTrusted(after passed: Double, shift: Double = 0) -> Bool {
            seconds += passed + shift
            instant += .seconds(passed)
            return trust.note(seconds, at: instant)
        }
    }

    @Test func aClockIsTrustedSomeTimeAfterTheStart() {
        let machine = Machine()
        #expect(!machine.isTrusted(after: 0) && !machine.isTrusted(after: 3599))
        #expect(machine.isTrusted(after: 1))
    }

    @Test(arguments: [31_536_000.0, 3600, 3, -3, -3600, -31_536_000, -1_780_000_000, 367_000_000])
    func aClockThatWasSetIsTrustedWhenThePauseIsOver(shift: Double) {
        let machine = Machine()
        _ = machine.isTrusted(after: 0)
        #expect(machine.isTrusted(after: 7200))
        #expect(!machine.isTrusted(after: 10, shift: shift))
        #expect(!machine.isTrusted(after: 86_399))
        #expect(machine.isTrusted(after: 1))
    }

    @Test func aClockThatIsAdjustedStaysTrusted() {
        let machine = Machine()
        _ = machine.isTrusted(after: 3600)
        for _ in 0..<100 { #expect(machine.isTrusted(after: 3600, shift: 1.8)) }
    }
}
