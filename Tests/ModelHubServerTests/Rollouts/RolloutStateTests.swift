import Foundation
import SightlineTestSupport
import Testing

@testable import ModelHubServer

/// The state machine of rollouts, with any times and any reports.
@Suite(.hangLimit)
struct RolloutStateTests {
    private static let start = Timestamp(milliseconds: 1_800_000_000_000)
    private static let hour: Int64 = 3_600_000

    private func rollout(_ plan: RolloutPlan = RolloutPlan(seconds: 3600, guards: [.latency])) -> Rollout {
        Rollout(
            id: "plants-v2",
            model: (1, "plants"),
            versions: (1, 2),
            plan: plan,
            at: Self.start,
            by: "ada"
        )
    }

    private static func time(_ milliseconds: Int64) -> Timestamp {
        Timestamp(milliseconds: start.milliseconds + milliseconds)
    }

    /// Evidence of devices with a mean latency, and with little difference among them.
    private static func evidence(new: Double, old: Double, devices: Int = 1000) -> RolloutEvidence {
        func sums(_ mean: Double) -> DeviceSums {
            var sums = DeviceSums()
            for number in 0..<devices {
                sums.replace(nil, by: (1, mean + Double(number % 5 - 2) * 0.05), weightLimit: 1)
            }
            return sums
        }
        var evidence = RolloutEvidence()
        (evidence.newDevices, evidence.oldDevices) = (devices, devices)
        evidence.groups[.latency] = .init()
        evidence.groups[.latency]?.new = sums(new)
        evidence.groups[.latency]?.old = sums(old)
        return evidence
    }

    private static let equal = evidence(new: 3, old: 3)
    private static let worse = evidence(new: 3.5, old: 3)

    /// Looks every minute until a time.
    private func look(_ rollout: inout Rollout, _ evidence: RolloutEvidence, from: Int64, to: Int64) -> [Rollout.Change]
    {
        stride(from: from, through: to, by: 60_000).compactMap { rollout.advance(evidence, at: Self.time($0)) }
    }

    @Test func stepsFollowByTimeAndEvidence() {
        var rollout = rollout()
        #expect(rollout.share == 5)
        #expect(look(&rollout, RolloutEvidence(), from: 60_000, to: 2 * Self.hour).isEmpty)
        #expect(rollout.reason.contains("latency has 0 and 0 of 50 needed devices"), "\(rollout.reason)")
        // The time has passed, and now there is evidence.
        #expect(rollout.advance(Self.equal, at: Self.time(2 * Self.hour + 60_000)) == .stepped)
        #expect(rollout.share == 20)
        #expect(rollout.advance(Self.equal, at: Self.time(2 * Self.hour + 120_000)) == nil)
        #expect(look(&rollout, Self.equal, from: 2 * Self.hour + 180_000, to: 5 * Self.hour) == [.stepped, .finished])
        #expect(rollout.state == .finished && rollout.share == 100 && !rollout.isActive)
        #expect(rollout.advance(Self.worse, at: Self.time(9 * Self.hour)) == nil)
    }

    @Test func aHarmReturnsAllDevicesInWords() {
        var rollout = rollout()
        #expect(rollout.advance(Self.worse, at: Self.time(60_000)) == .halted)
        #expect(rollout.state == .halted && rollout.share == 0)
        #expect(
            rollout.reason.hasPrefix("Halted: Latency is 64.9 % higher than with version 1, at least 6"),
            "\(rollout.reason)"
        )
        #expect(rollout.reason.hasSuffix("by 1000 and 1000 devices at 5 %. All devices return to version 1."))
        // Nothing brings it back.
        #expect(rollout.resume(at: Self.time(120_000), by: "ada") == false)
        #expect(rollout.finish(at: Self.time(120_000), by: "ada") == false)
    }

    @Test func unequalReportsHaltOnlyAfterDevicesHadTimeToDownload() {
        var evidence = Self.equal
        (evidence.newDevices, evidence.oldDevices) = (600, 1000)
        var rollout = rollout()
        #expect(look(&rollout, evidence, from: 60_000, to: Self.hour / 4 - 60_000).isEmpty)
        #expect(rollout.advance(evidence, at: Self.time(Self.hour / 4)) == .halted)
        #expect(rollout.reason.contains("600 devices with the new version and 1000 with the old version"))
    }

    @Test func aPausedRolloutTakesNoStepAndStillHalts() {
        var rollout = rollout()
        #expect(rollout.pause(at: Self.time(60_000), by: "ada") == true)
        #expect(rollout.pause(at: Self.time(60_000), by: "ada") == false)
        #expect(look(&rollout, Self.equal, from: 120_000, to: 5 * Self.hour).isEmpty)
        #expect(rollout.share == 5 && rollout.state == .paused)
        var resumed = rollout
        #expect(resumed.resume(at: Self.time(5 * Self.hour), by: "ada") == true)
        // The pause does not count as time.
        #expect(resumed.advance(Self.equal, at: Self.time(5 * Self.hour + 60_000)) == nil)
        #expect(rollout.advance(Self.worse, at: Self.time(6 * Self.hour)) == .halted)
    }

    @Test func aPlanThatEndsBelowAllWaitsForAPerson() {
        var rollout = rollout(RolloutPlan(steps: [10, 40], seconds: 3600, guards: [.latency]))
        #expect(look(&rollout, Self.equal, from: 60_000, to: 9 * Self.hour) == [.stepped])
        #expect(rollout.reason.contains("waits for a person"))
        #expect(rollout.finish(at: Self.time(9 * Self.hour), by: "ada") == true)
        #expect(rollout.share == 100)
    }

    @Test func doubtsWaitAndAreNamedInTheEnd() {
        // Two groups that differ so much among themselves that a harm is neither found nor excluded.
        var sums = DeviceSums()
        for number in 0..<60 { sums.replace(nil, by: (1, Double(number % 7)), weightLimit: 1) }
        var evidence = RolloutEvidence()
        evidence.groups[.latency] = .init()
        evidence.groups[.latency]?.new = sums
        evidence.groups[.latency]?.old = sums
        var rollout = rollout()
        #expect(look(&rollout, evidence, from: 60_000, to: 3 * Self.hour - 60_000).isEmpty)
        #expect(rollout.reason.hasPrefix("Waits for more evidence"), "\(rollout.reason)")
        #expect(rollout.advance(evidence, at: Self.time(3 * Self.hour)) == .stepped)
        #expect(rollout.events.last?.text.contains("Not excluded for certain: latency worse by up to") == true)
    }

    /// Random looks, kills, pauses, clocks that jump, and reports that somebody forged: whatever happens, the rollout is never ahead of its
    /// plan, takes its steps one by one, and ends only in the old version or by the plan's last step.
    @Test(arguments: 1...60)
    func nothingBringsARolloutAheadOfItsPlan(seed: Int) throws {
        var random = Random(seed: UInt64(seed))
        let plan = RolloutPlan(steps: [5, 20, 50, 100], seconds: 3600, guards: [.latency, .failures])
        var rollout = rollout(plan)
        // True time, in which the plan is measured; the hub's clock is it with an error.
        var (now, error): (Int64, Int64) = (0, 0)
        var stepped: Int64 = 0
        for _ in 0..<600 {
            now += Int64(random.uniform() * 240_000)
            switch random.next() % 40 {
            case 0: error += Int64((random.uniform() - 0.3) * 40 * 24 * Double(Self.hour))
            case 1: error = Int64((random.uniform() - 0.5) * 600_000)
            case 2: now += Int64(random.uniform() * 20) * Self.hour
            case 3: _ = rollout.pause(at: Self.time(now + error), by: "ada")
            case 4, 5: _ = rollout.resume(at: Self.time(now + error), by: "ada")
            case 6: rollout = try JSONDecoder().decode(Rollout.self, from: JSONEncoder().encode(rollout))
            case 7: _ = rollout.advance(RolloutEvidence(), at: Timestamp(milliseconds: seed % 2 == 0 ? .max : .min))
            default: break
            }
            let before = rollout
            let change = rollout.advance(forged(&random), at: Self.time(now + error))
            switch change {
            case nil: #expect(rollout.share == before.share && rollout.state == before.state)
            case .stepped, .finished:
                #expect(rollout.step == before.step + 1)
                // Looks across which the clock jumps count as five minutes each, of which there are few in an hour of true time.
                #expect(before.state == .running && rollout.watched == 0)
                stepped += 1
            case .halted: #expect(rollout.share == 0 && rollout.state == .halted)
            }
            #expect(Int64(rollout.step) == stepped)
            if !rollout.isActive { break }
        }
        #expect([.running, .paused, .halted, .finished].contains(rollout.state))
    }

    /// Sums as a forger could bring them about, also impossible ones.
    private func forged(_ random: inout Random) -> RolloutEvidence {
        func sums(_ random: inout Random) -> DeviceSums {
            var sums = DeviceSums()
            sums.devices = Int(random.uniform() * 3000)
            sums.count = Double(sums.devices)
            sums.sum = sums.count * random.normal()
            (sums.sumNN, sums.sumNX) = (sums.count, sums.sum)
            sums.sumXX =
                sums.sum * sums.sum / max(sums.count, 1) * (random.uniform() < 0.1 ? 0 : 1) + random.uniform() * 1e4
            if random.uniform() < 0.02 { sums.sum = [Double.nan, .infinity, -1e300, 1e308].randomElement() ?? 0 }
            return sums
        }
        var evidence = RolloutEvidence()
        let isHonest = random.uniform() < 0.8
        if isHonest { return Self.equalWithFailures }
        for rolloutGuard in [RolloutGuard.latency, .failures] {
            var groups = RolloutEvidence.Groups()
            (groups.new, groups.old) = (sums(&random), sums(&random))
            evidence.groups[rolloutGuard] = groups
        }
        evidence.newDevices = Int(random.uniform() * 3000)
        evidence.oldDevices = Int(random.uniform() * 3000)
        return evidence
    }

    private static let equalWithFailures = {
        var evidence = equal
        var sums = DeviceSums()
        for number in 0..<2000 { sums.replace(nil, by: (10, number % 10 == 0 ? 1 : 0), weightLimit: 50) }
        evidence.groups[.failures] = .init()
        evidence.groups[.failures]?.new = sums
        evidence.groups[.failures]?.old = sums
        return evidence
    }()

    /// With true time alone and whatever reports, each step takes at least its time.
    @Test(arguments: 1...20)
    func forgedReportsTakeNoStepEarly(seed: Int) {
        var random = Random(seed: UInt64(seed))
        var rollout = rollout(RolloutPlan(steps: [5, 20, 50, 100], seconds: 3600, guards: [.latency, .failures]))
        for minute in 1...400 {
            _ = rollout.advance(forged(&random), at: Self.time(Int64(minute) * 60_000))
            #expect(rollout.step <= minute / 60)
            guard rollout.isActive else { return }
        }
    }

    @Test func aClockThatJumpsForwardTakesNoStep() {
        var rollout = rollout()
        #expect(rollout.advance(Self.equal, at: Self.time(40 * 24 * Self.hour)) == nil)
        #expect(rollout.watched == Rollout.longestWatch)
        // Back again, and on.
        #expect(rollout.advance(Self.equal, at: Self.time(60_000)) == nil)
        #expect(rollout.watched == Rollout.longestWatch)
        #expect(look(&rollout, Self.equal, from: 120_000, to: 54 * 60_000).isEmpty)
        #expect(rollout.share == 5)
    }

    @Test func plansHaveRules() {
        func problem(_ steps: [Double], seconds: Int = 3600, _ guards: [RolloutGuard] = [.latency]) -> String? {
            RolloutPlan(steps: steps, seconds: seconds, guards: guards).problem
        }
        #expect(RolloutPlan().problem == nil && problem([0.5, 100]) == nil)
        for steps: [Double] in [
            [], [0], [-5], [5, 5], [20, 10], [50, 101], [100], [.nan], Array(repeating: 1, count: 21),
        ] {
            #expect(problem(steps) != nil, "\(steps)")
        }
        #expect(problem([5], seconds: 59) != nil && problem([5], seconds: 91 * 86_400) != nil)
        #expect(problem([5], []) != nil && problem([5], [.latency, .latency]) != nil)
    }

    @Test func devicesKeepTheirGroupAndBothGroupsHaveTheSameSize() {
        let places = (0..<20_000).map { PercentBucket.place(of: "device-\($0)", seed: "plants-v2") }
        var had: Set<Int> = []
        for share in [0, 1, 5, 20, 50, 80, 99] as [Double] {
            let groups = places.map { RolloutGroup(place: $0, share: share) }
            let new = Set(groups.indices.filter { groups[$0].hasNewVersion })
            #expect(new.isSuperset(of: had))
            had = new
            #expect(abs(Double(new.count) / 20_000 - share / 100) < 0.012)
            let (first, second) = (groups.count { $0 == .new }, groups.count { $0 == .old })
            #expect(abs(first - second) < 450, "\(share): \(first), \(second)")
        }
    }

    @Test func aConditionOfRemoteConfigSelectsTheSameDevices() throws {
        var names = ConditionNames()
        let condition = CompiledCondition(try ConditionExpression.parse("percent('plants-v2') <= 20"), names: &names)
        for number in 0..<2000 {
            let client = ClientContext(installationID: "device-\(number)")
            var state = EvaluationState(client: client, now: Self.start, names: names)
            let place = PercentBucket.place(of: "device-\(number)", seed: "plants-v2")
            #expect(condition.holds(&state) == RolloutGroup(place: place, share: 20).hasNewVersion)
        }
    }

    @Test(arguments: [2, 40, 70, 90, 239, 300, 2_820, 46_800, 324_000, 1_728_000, 40_000_000])
    func theTimesOfAChartDiffer(seconds: Int64) throws {
        let rollout = rollout()
        let (readings, ratio) = rollout.comparisons(Self.equal)
        var curve = RolloutCurve()
        curve.add(readings, ratio, share: rollout.share, at: Self.time(seconds * 1000))
        let texts = try #require(RolloutChart(curve, rollout, guard: 0)).vertical.map(\.text)
        #expect((2...6).contains(texts.count) && Set(texts).count == texts.count, "\(texts)")
    }
}
