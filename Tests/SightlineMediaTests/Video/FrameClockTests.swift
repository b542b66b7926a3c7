import Sightline
import SightlineTestSupport
import Testing

@testable import SightlineMedia

/// Times of frames whose timestamps are not to be trusted.
@Suite(.hangLimit)
struct FrameClockTests {
    private func times(
        _ stated: [Int?],
        frameRate: Double? = 10,
        duration: Duration? = nil,
        isLive: Bool = false
    ) -> [Int] {
        var clock = FrameClock(frameRate: frameRate, duration: duration, isLive: isLive)
        return stated.map { Int(clock.time(stated: $0.map { .milliseconds($0) }) / .milliseconds(1)) }
    }

    @Test func keepsTimesThatRiseHoweverUnevenly() {
        #expect(times([0, 10, 500, 501, 60_000]) == [0, 10, 500, 501, 60_000])
    }

    @Test func givesFramesWithoutATimeTheUsualDistance() {
        #expect(times([nil, nil, nil]) == [0, 100, 200])
        #expect(times([0, nil, 250]) == [0, 100, 250])
    }

    @Test func letsASlipOfOneFramePass() {
        #expect(times([0, 100, 100, 300, 250, 400]) == [0, 100, 101, 300, 301, 400])
    }

    @Test func goesOnWhereTimeJumpsBack() {
        #expect(times([5000, 5100, 0, 100, 200]) == [5000, 5100, 5200, 5300, 5400])
    }

    @Test func ignoresALeapBeyondTheEnd() {
        #expect(times([0, 100, 90_000_000, 90_000_100], duration: .seconds(10)) == [0, 100, 200, 300])
    }

    @Test func ignoresALeapInALiveStreamButKeepsAPauseInAFile() {
        #expect(times([0, 100, 60_000, 60_100], isLive: true) == [0, 100, 200, 300])
        #expect(times([0, 100, 60_000, 60_100]) == [0, 100, 60_000, 60_100])
    }

    @Test func beginsAtZeroWhenTheFirstTimeMakesNoSense() {
        #expect(times([-200, 100]) == [0, 100])
        #expect(times([-90_000, -89_900]) == [0, 100])
        #expect(times([900_000, 900_100], duration: .seconds(10)) == [0, 100])
    }

    @Test func countsWhatItPutRight() {
        var clock = FrameClock(frameRate: 10, duration: nil, isLive: false)
        for time in [0, 100, 100, 9000, 0] { _ = clock.time(stated: .milliseconds(time)) }
        #expect(clock.jumps == 2)
    }

    @Test func alwaysRises() {
        var generator = RepeatableRandom(seed: 7)
        for isLive in [false, true] {
            var clock = FrameClock(frameRate: 30, duration: .seconds(60), isLive: isLive)
            var last: Duration?
            for _ in 0..<2000 {
                let stated: Duration? =
                    generator.next() % 5 == 0
                    ? nil : .milliseconds(Int.random(in: -50_000..<150_000, using: &generator))
                let time = clock.time(stated: stated)
                #expect(last.map { time > $0 } ?? (time >= .zero))
                last = time
            }
        }
    }

    @Test(arguments: [nil, 0, -1, .nan, .infinity, 1e300] as [Double?]) func takesAnyFrameRate(rate: Double?) {
        #expect(times([nil, nil], frameRate: rate) == [0, 40])
    }

    @Test func resumesAfterAPause() {
        var clock = FrameClock(frameRate: 10, duration: nil, isLive: true)
        _ = clock.time(stated: .seconds(5))
        clock.resume(after: .seconds(3), stated: .zero)
        #expect(clock.time(stated: .zero) == .seconds(8))
        #expect(clock.time(stated: .milliseconds(100)) == .milliseconds(8100))
    }
}
