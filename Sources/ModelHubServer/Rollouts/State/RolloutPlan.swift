/// The owner's plan of a rollout. The hub never does more than it says.
package struct RolloutPlan: Sendable, Hashable, Codable {
    /// The percentages of devices that get the new version, one after another, in ascending order. At 100 the version is served to all.
    package var steps: [Double]
    /// The time that each step lasts at least, in seconds.
    package var seconds: Int
    /// The guards.
    package var guards: [RolloutGuard]
    /// The parameter of Remote Config that shows apps their group; nil for none.
    package var parameter: String?

    /// The steps of a plan that names none.
    package static let usualSteps: [Double] = [5, 20, 50, 100]
    /// The time of a plan that names none: a day, so that each step sees a day's users.
    package static let usualSeconds = 24 * 3600
    /// The guards of a plan that names none.
    package static let usualGuards: [RolloutGuard] = [.failures, .latency]

    static let stepLimit = 20
    static let guardLimit = 10
    /// A minute to 90 days.
    static let times = 60...90 * 24 * 3600

    /// Creates a plan.
    package init(steps: [Double] = usualSteps, seconds: Int = usualSeconds, guards: [RolloutGuard] = usualGuards) {
        (self.steps, self.seconds, self.guards) = (steps, seconds, guards)
    }

    /// The reason why the plan cannot be followed, in words; nil if it can.
    var problem: String? {
        guard (1...Self.stepLimit).contains(steps.count) else {
            return "a rollout has 1 to \(Self.stepLimit) steps, not \(steps.count)"
        }
        guard let first = steps.first, first >= 0.001, let last = steps.last, last <= 100 else {
            return "a step is a percentage of devices from 0.001 to 100"
        }
        guard zip(steps, steps.dropFirst()).allSatisfy({ $0 < $1 }) else {
            return "each step must be greater than the step before, such as 5,20,50,100"
        }
        guard first < 100 else {
            return "the first step is 100 %, which leaves no devices to compare with; promote the version instead"
        }
        guard Self.times.contains(seconds) else {
            return "a step lasts from a minute to 90 days, not \(seconds) s"
        }
        guard (1...Self.guardLimit).contains(guards.count) else {
            return "a rollout has 1 to \(Self.guardLimit) guards, not \(guards.count)"
        }
        guard Set(guards).count == guards.count else { return "a guard is named twice" }
        return nil
    }
}
