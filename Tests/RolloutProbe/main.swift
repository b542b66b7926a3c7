import Foundation

// Simulates rollouts, and prints how many were halted: `simulate NUMBER [FLEET…]`.

let arguments = CommandLine.arguments.dropFirst().compactMap { Int($0) }
let number = arguments.first ?? 1000
let fleets = arguments.count > 1 ? Array(arguments.dropFirst()) : [20_000]
let effects: [RolloutSimulation.Effect] = [
    .init(name: "no difference"),
    .init(name: "latency +10 %", latency: 1.1),
    .init(name: "failures +2 points", failures: 0.02),
    .init(name: "confidence, score −0.07", scores: 0.07),
    .init(name: "10 % of devices silent", silent: 0.1),
    .init(name: "latency +1 %", latency: 1.0096),
]

func padded(_ text: String, _ width: Int) -> String { text + String(repeating: " ", count: max(0, width - text.count)) }
func share(_ part: Int, _ whole: Int) -> String {
    String(format: "%6.2f %%", 100 * Double(part) / Double(max(whole, 1)))
}

print(
    "Rollouts to 5, 20, 50, 100 % every 24 h; guards: failures, latency, confidence, score:accepted, and the ratio of devices."
)
print("Looks every 5 minutes; \(number) rollouts a row.")
print(
    padded("devices", 9) + padded("new version", 26) + padded("halted", 10) + padded("before half", 13)
        + padded("finished", 10)
        + padded("waiting", 10) + "median hours"
)
for fleet in fleets {
    for effect in effects {
        var simulation = RolloutSimulation(effect: effect)
        simulation.fleet = fleet
        let outcomes = await withTaskGroup(of: [RolloutSimulation.Outcome].self) { group in
            let workers = max(ProcessInfo.processInfo.activeProcessorCount, 1)
            for worker in 0..<workers {
                group.addTask { [simulation] in
                    stride(from: worker, to: number, by: workers).map { simulation.run(seed: UInt64($0) + 1) }
                }
            }
            var all: [RolloutSimulation.Outcome] = []
            for await part in group { all += part }
            return all
        }
        let halted = outcomes.filter { $0.state == .halted }
        let hours = outcomes.map(\.hours).sorted()
        print(
            padded("\(fleet)", 9) + padded(effect.name, 26) + padded(share(halted.count, number), 10)
                + padded(share(halted.count { $0.share < 50 }, number), 13)
                + padded(share(outcomes.count { $0.state == .finished }, number), 10)
                + padded(share(outcomes.count { $0.state == .running }, number), 10)
                + String(format: "%.1f", hours.isEmpty ? 0 : hours[hours.count / 2])
        )
        if ProcessInfo.processInfo.environment["REASONS"] != nil {
            var kinds: [String: Int] = [:]
            for outcome in halted { kinds[String(outcome.reason.prefix(16)), default: 0] += 1 }
            print("    \(kinds)")
        }
    }
}
