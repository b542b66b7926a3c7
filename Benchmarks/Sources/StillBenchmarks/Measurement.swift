/// The times of one contender in one row: some per round.
struct Measurement {
    /// The name of the contender in the table.
    let contender: String
    /// The findings.
    let finding: String
    /// Milliseconds, by round.
    let rounds: [[Double]]

    /// The median of all times, in milliseconds.
    var median: Double { Self.quantile(rounds.flatMap { $0 }, 0.5) }
    /// The shortest time, in milliseconds: what other programs disturb least.
    var best: Double { rounds.joined().min() ?? .nan }
    /// The 95th percentile of the times, in milliseconds.
    var p95: Double { Self.quantile(rounds.flatMap { $0 }, 0.95) }

    /// The median, over rounds, of this contender's median divided by the other's median in the same round.
    ///
    /// Whatever slows the machine down for a while slows a whole round, and so cancels.
    func ratio(to other: Measurement) -> Double {
        let ratios = zip(rounds, other.rounds).map { Self.quantile($0, 0.5) / Self.quantile($1, 0.5) }
        return Self.quantile(ratios, 0.5)
    }

    private static func quantile(_ values: [Double], _ fraction: Double) -> Double {
        guard !values.isEmpty else { return .nan }
        let sorted = values.sorted()
        return sorted[min(Int(Double(sorted.count) * fraction), sorted.count - 1)]
    }
}

/// Measures contenders side by side: each round gives every one of them its turn of some calls.
///
/// The first call of a turn is not counted: it finds the caches as the contender before it left them.
func measure(_ contenders: [any Contender], rounds: Int, calls: Int, clock: Clock) async throws -> [Measurement] {
    var times = contenders.map { _ in [[Double]]() }
    for _ in 0..<rounds {
        for (index, contender) in contenders.enumerated() {
            _ = try await contender.measure(clock)
            var turn: [Double] = []
            for _ in 0..<calls { turn.append(try await contender.measure(clock)) }
            times[index].append(turn)
        }
    }
    return zip(contenders, times).map { Measurement(contender: $0.name, finding: $0.finding, rounds: $1) }
}
