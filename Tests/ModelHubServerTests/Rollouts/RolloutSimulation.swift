import Foundation

#if canImport(ModelHubServer)
    import SightlineTestSupport

    @testable import ModelHubServer
#endif

/// A rollout to simulated devices, with the hub's own state machine and statistics.
///
/// Devices differ: in their speed (a standard deviation of the logarithm of 0.5), in their failures (0.7), and in how often and how much
/// they report. Results of one device differ less. All latencies rise and fall with the time of day, and slowly grow over the days.
struct RolloutSimulation {
    /// The effect of the new version.
    struct Effect {
        var name: String
        /// The factor of the latency.
        var latency = 1.0
        /// The addition to the share of failures.
        var failures = 0.0
        /// The subtraction from the confidence and the share of accepted results.
        var scores = 0.0
        /// The share of devices with the new version that never report.
        var silent = 0.0
    }

    struct Outcome {
        var state: Rollout.State
        /// The greatest percentage of devices that had the new version.
        var share: Double
        /// The time until its end, in hours.
        var hours: Double
        var reason: String
    }

    var fleet = 20_000
    var plan = RolloutPlan(guards: [.failures, .latency, .confidence, .score("accepted")])
    var effect: Effect
    /// The time between two looks, in minutes.
    var look = 5
    /// The time after which a simulation gives up, in days.
    var days = 14
    /// The share of failures of the old version.
    var failures = 0.02

    private struct Device {
        var isNew: Bool
        var speed, failures, confidence, accepted: Double
        /// The mean time between reports in looks, and the mean number of results in a report.
        var pause, results: Double
        var isKnown = false
        var count = 0.0
        var sums: (latency: Double, failures: Double, confidence: Double, accepted: Double) = (0, 0, 0, 0)
    }

    func run(seed: UInt64) -> Outcome {
        var random = Random(seed: seed)
        let start = Timestamp(milliseconds: 1_800_000_000_000)
        var rollout = Rollout(
            id: "plants-v2",
            model: (1, "plants"),
            versions: (1, 2),
            plan: plan,
            at: start,
            by: nil
        )
        var devices: [Device] = []
        var calendar = [[Int32]](repeating: [], count: days * 24 * 60 / look + 1)
        var evidence = RolloutEvidence()
        var groups = plan.guards.map { _ in RolloutEvidence.Groups() }
        var enrolled = 0.0
        for slot in 0..<calendar.count {
            // Devices that joined with the step.
            let compared = min(rollout.share, 100 - rollout.share)
            if compared > enrolled {
                let expected = Double(fleet) * (compared - enrolled) / 100
                enrolled = compared
                for isNew in [true, false] {
                    for _ in 0..<random.binomial(Double(fleet), expected / Double(fleet)) {
                        let device = makeDevice(isNew: isNew, &random)
                        if device.isNew, random.uniform() < effect.silent { continue }
                        devices.append(device)
                        enter(devices.count - 1, device, after: slot, &calendar, &random)
                    }
                }
            }
            for number in calendar[slot] {
                report(&devices[Int(number)], slot, &evidence, &groups, &random)
                enter(Int(number), devices[Int(number)], after: slot, &calendar, &random)
            }
            calendar[slot] = []
            for (rolloutGuard, sums) in zip(plan.guards, groups) { evidence.groups[rolloutGuard] = sums }
            let time = start.advanced(by: .seconds((slot + 1) * look * 60))
            _ = rollout.advance(evidence, at: time)
            if !rollout.isActive { break }
        }
        let end = rollout.endTime ?? start.advanced(by: .seconds(days * 24 * 3600))
        return Outcome(
            state: rollout.state,
            share: plan.steps[rollout.step],
            hours: Double(end.milliseconds - start.milliseconds) / 3_600_000,
            reason: rollout.reason
        )
    }

    private func makeDevice(isNew: Bool, _ random: inout Random) -> Device {
        let failures = failures * exp(0.7 * random.normal() - 0.245) + (isNew ? effect.failures : 0)
        return Device(
            isNew: isNew,
            speed: log(40) + 0.5 * random.normal() + (isNew ? log(effect.latency) : 0),
            failures: min(max(failures, 0), 1),
            confidence: 0.7 + 0.1 * random.normal() - (isNew ? effect.scores : 0),
            accepted: min(max(0.8 + 0.1 * random.normal() - (isNew ? effect.scores : 0), 0), 1),
            pause: exp(0.7 * random.normal()) * 8 * 60 / Double(look),
            results: 1 + 5 * exp(0.5 * random.normal())
        )
    }

    private func enter(
        _ number: Int,
        _ device: Device,
        after slot: Int,
        _ calendar: inout [[Int32]],
        _ random: inout Random
    ) {
        let next = slot + 1 + Int(min(-log(1 - random.uniform()) * device.pause, 1e6))
        if calendar.indices.contains(next) { calendar[next].append(Int32(number)) }
    }

    private func report(
        _ device: inout Device,
        _ slot: Int,
        _ evidence: inout RolloutEvidence,
        _ groups: inout [RolloutEvidence.Groups],
        _ random: inout Random
    ) {
        if !device.isKnown {
            if device.isNew { evidence.newDevices += 1 } else { evidence.oldDevices += 1 }
        }
        let count = max(1, Double(random.poisson(device.results)))
        let hours = Double(slot * look) / 60
        let drift = 0.03 * sin(hours / 24 * 2 * .pi) + 0.002 * hours / 24
        let before = (count: device.count, sums: device.sums)
        device.count += count
        device.sums.latency += count * (device.speed + drift) + count.squareRoot() * 0.3 * random.normal()
        device.sums.failures += Double(random.binomial(count, device.failures))
        device.sums.confidence += count * device.confidence + count.squareRoot() * 0.15 * random.normal()
        device.sums.accepted += Double(random.binomial(count, device.accepted))
        for (index, rolloutGuard) in plan.guards.enumerated() {
            let (old, new) =
                switch rolloutGuard {
                case .latency: (before.sums.latency, device.sums.latency)
                case .failures: (before.sums.failures, device.sums.failures)
                case .confidence: (before.sums.confidence, device.sums.confidence)
                case .score: (before.sums.accepted, device.sums.accepted)
                }
            let path: WritableKeyPath<RolloutEvidence.Groups, DeviceSums> = device.isNew ? \.new : \.old
            groups[index][keyPath: path].replace(
                device.isKnown ? (before.count, old) : nil,
                by: (device.count, new),
                weightLimit: rolloutGuard.weightLimit
            )
        }
        device.isKnown = true
    }
}

/// Random numbers of several distributions that depend only on a seed.
struct Random {
    private var source: RepeatableRandom
    private var spare: Double?

    init(seed: UInt64) { source = RepeatableRandom(seed: seed &* 0x9E37_79B9_7F4A_7C15 &+ 0x1234_5678) }

    mutating func next() -> UInt64 { source.next() }

    /// From 0 up to, but not, 1.
    mutating func uniform() -> Double { Double(next() >> 11) * 0x1p-53 }

    /// G. Marsaglia's polar method.
    mutating func normal() -> Double {
        if let known = spare {
            spare = nil
            return known
        }
        while true {
            let (x, y) = (2 * uniform() - 1, 2 * uniform() - 1)
            let square = x * x + y * y
            guard square > 0, square < 1 else { continue }
            let factor = (-2 * log(square) / square).squareRoot()
            spare = y * factor
            return x * factor
        }
    }

    mutating func poisson(_ mean: Double) -> Int {
        if mean > 60 { return max(0, Int((mean + mean.squareRoot() * normal()).rounded())) }
        var (product, count) = (uniform(), 0)
        let limit = exp(-mean)
        while product > limit {
            product *= uniform()
            count += 1
        }
        return count
    }

    mutating func binomial(_ count: Double, _ share: Double) -> Int {
        if count > 60 {
            let deviation = (count * share * (1 - share)).squareRoot()
            return min(max(0, Int((count * share + deviation * normal()).rounded())), Int(count))
        }
        return (0..<Int(count)).reduce(0) { sum, _ in sum + (uniform() < share ? 1 : 0) }
    }
}
