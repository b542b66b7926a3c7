import Foundation
import ModelHubProtocol
import SightlineTestSupport
import Testing

@testable import ModelHubServer

/// Always-valid intervals. `Scripts/tools simulate rollouts` runs the simulation with 10,000 rollouts.
@Suite(.hangLimit)
struct RolloutStatisticsTests {
    /// A Brownian motion without drift, looked at 1,000 times from an early to a late time.
    @Test func aSumWithoutDriftCrossesTheBoundInFewerCasesThanPromised() {
        var random = Random(seed: 7)
        let bound = NormalMixture(scale: 1, error: 0.05)
        let runs = 1000
        var crossings = 0
        for _ in 0..<runs {
            var (sum, information) = (0.0, 0.1)
            sum += information.squareRoot() * random.normal()
            var isCrossed = false
            for _ in 0..<1000 where !isCrossed {
                let step = information * 0.01
                sum += step.squareRoot() * random.normal()
                information += step
                // The estimate is sum / information, and its variance 1 / information.
                isCrossed = sum / information > bound.radius(variance: 1 / information)
            }
            if isCrossed { crossings += 1 }
        }
        // Three standard deviations above 5 %; and the bound is not so wide that nothing crosses it.
        #expect((5...70).contains(crossings), "\(crossings) of \(runs)")
    }

    @Test func aFairDivisionIsRarelyExcludedAndAnUnfairOneIsFound() {
        var random = Random(seed: 11)
        var mistakes = 0
        for _ in 0..<200 {
            var (first, second, isExcluded) = (0, 0, false)
            for look in 1...2000 {
                if random.uniform() < 0.5 { first += 1 } else { second += 1 }
                let evidence = ShareMixture(error: 0.05).evidence(against: 0.5, first, second)
                if look % 5 == 0, evidence >= -log(0.05) { isExcluded = true }
            }
            if isExcluded { mistakes += 1 }
        }
        #expect(mistakes <= 20, "\(mistakes) of 200")
        #expect(!RatioReading(new: 500, old: 520, error: 0.01).isUnfair)
        #expect(RatioReading(new: 350, old: 520, error: 0.01).isUnfair)
        #expect(RatioReading(new: 520, old: 350, error: 0.01).isUnfair)
        #expect(!RatioReading(new: 0, old: 0, error: 0.01).isUnfair)
    }

    /// Sums of devices with a value each.
    private func sums(_ values: [Double]) -> DeviceSums {
        var sums = DeviceSums()
        for value in values { sums.replace(nil, by: (1, value), weightLimit: 1) }
        return sums
    }

    @Test func aReadingFindsAHarmAndExcludesOne() throws {
        var random = Random(seed: 3)
        let old = sums((0..<2000).map { _ in log(40) + 0.5 * random.normal() })
        let same = sums((0..<2000).map { _ in log(40) + 0.5 * random.normal() })
        let slow = sums((0..<2000).map { _ in log(48) + 0.5 * random.normal() })
        let equal = GuardReading(.latency, new: same, old: old, error: 0.01)
        #expect(equal.verdict == .noHarm)
        let worse = GuardReading(.latency, new: slow, old: old, error: 0.01)
        #expect(worse.verdict == .harmful)
        let change = try #require(worse.change)
        #expect((change.lower...change.upper).contains(log(1.2)))
        // A faster version is not a harm.
        #expect(GuardReading(.latency, new: old, old: slow, error: 0.01).verdict == .noHarm)
        // A lower score is one.
        let scores = (
            sums((0..<500).map { _ in 0.5 + 0.1 * random.normal() }),
            sums((0..<500).map { _ in 0.7 + 0.1 * random.normal() })
        )
        #expect(GuardReading(.confidence, new: scores.0, old: scores.1, error: 0.01).verdict == .harmful)
        #expect(GuardReading(.confidence, new: scores.1, old: scores.0, error: 0.01).verdict == .noHarm)
    }

    @Test func fewDevicesProveNothing() {
        let few = sums(Array(repeating: 5, count: GuardReading.fewestDevices - 1))
        let many = sums((0..<100).map { Double($0 % 2) })
        #expect(GuardReading(.latency, new: few, old: many, error: 0.01).verdict == .tooFew)
        // Without any failure it is not certain that there are none.
        let good = sums(Array(repeating: 0, count: 60))
        let reading = GuardReading(.failures, new: good, old: good, error: 0.01)
        #expect(reading.verdict == .uncertain)
        // A mean of 0 has no percentage.
        #expect(GuardReading(.confidence, new: good, old: good, error: 0.01).verdict == .tooFew)
    }

    @Test func aDeviceCountsOnceHoweverMuchItReports() {
        var sums = DeviceSums()
        sums.replace(nil, by: (4, 8), weightLimit: 1)
        sums.replace((4, 8), by: (1_000_000, 4_000_000), weightLimit: 1)
        sums.replace(nil, by: (1, 2), weightLimit: 1)
        #expect(sums.devices == 2 && sums.count == 2 && sums.mean == 3)
        #expect(sums.effectiveDevices == 2)
        var weighted = DeviceSums()
        weighted.replace(nil, by: (10, 1), weightLimit: 50)
        weighted.replace(nil, by: (500, 500), weightLimit: 50)
        #expect(weighted.count == 60 && weighted.sum == 51)
    }

    @Test func guardsHaveTexts() {
        for text in ["failures", "latency", "confidence", "score:accepted", "score:A_1"] {
            #expect(RolloutGuard(text)?.text == text)
        }
        for text in ["", "score:", "score:1a", "score:a b", "speed", "score:" + String(repeating: "a", count: 41)] {
            #expect(RolloutGuard(text) == nil)
        }
    }

    /// A few of the simulated rollouts, to a small fleet.
    @Test func simulatedRolloutsHaltOnlyIfTheVersionIsWorse() {
        func outcomes(_ effect: RolloutSimulation.Effect, _ number: Int) -> [RolloutSimulation.Outcome] {
            var simulation = RolloutSimulation(effect: effect)
            (simulation.fleet, simulation.days) = (2000, 6)
            simulation.plan = RolloutPlan(steps: [20, 50, 100], seconds: 12 * 3600, guards: [.failures, .latency])
            return (1...number).map { simulation.run(seed: UInt64($0)) }
        }
        let equal = outcomes(.init(name: "no difference"), 12)
        #expect(equal.allSatisfy { $0.state != .halted }, "\(equal)")
        #expect(equal.contains { $0.state == .finished })
        let slow = outcomes(.init(name: "slow", latency: 1.25), 6)
        #expect(slow.allSatisfy { $0.state == .halted && $0.share < 50 && $0.reason.contains("Latency is") }, "\(slow)")
        let broken = outcomes(.init(name: "broken", failures: 0.06), 6)
        #expect(
            broken.allSatisfy { $0.state == .halted && $0.share < 50 && $0.reason.contains("Failures are") },
            "\(broken)"
        )
    }
}
