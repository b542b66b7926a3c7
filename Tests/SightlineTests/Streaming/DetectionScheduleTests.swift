import SightlineTestSupport
import Testing

@testable import Sightline

@Suite(.hangLimit) struct DetectionScheduleTests {
    /// On which of the frames the detector runs if it takes so long.
    private func frames(_ cadence: DetectionCadence, count: Int, cost: (Int) -> Duration) -> [Int] {
        var schedule = DetectionSchedule(cadence)
        return (0..<count).filter { frame in
            let detects = schedule.takesNextFrame()
            if detects { schedule.add(cost(frame)) }
            return detects
        }
    }

    @Test(arguments: [(3, [0, 3, 6, 9]), (1, Array(0..<10)), (0, Array(0..<10)), (-5, Array(0..<10)), (.max, [0])])
    func everySoManyFramesMeansTheFirstOfEach(count: Int, expected: [Int]) {
        #expect(frames(.every(count), count: 10) { _ in .zero } == expected)
    }

    @Test func aBudgetIsKeptOnAverage() {
        let detected = frames(.budget(.milliseconds(10)), count: 100) { _ in .milliseconds(25) }
        #expect(detected.count * 25 <= 100 * 10 + 25)
        #expect(detected.count >= 33)
    }

    @Test func aBudgetThatSufficesMeansEveryFrame() {
        #expect(frames(.budget(.milliseconds(10)), count: 20) { _ in .milliseconds(9) } == Array(0..<20))
    }

    @Test(arguments: [Duration.zero, .seconds(-1), .nanoseconds(1)])
    func anImpossibleBudgetStillMeansEveryThirtiethFrame(budget: Duration) {
        #expect(frames(.budget(budget), count: 91) { _ in .milliseconds(25) } == [0, 30, 60, 90])
    }

    @Test func aSlowFrameIsNotPaidForForLong() {
        let detected = frames(.budget(.milliseconds(10)), count: 100) { $0 == 0 ? .seconds(60) : .milliseconds(5) }
        #expect(detected.prefix(2) == [0, 30])
    }

    @Test func itBeginsAnewWithADetection() {
        var schedule = DetectionSchedule(.every(5))
        let first = [schedule.takesNextFrame(), schedule.takesNextFrame()]
        schedule.reset()
        let second = [schedule.takesNextFrame(), schedule.takesNextFrame()]
        #expect(first == [true, false] && second == first)
    }
}
