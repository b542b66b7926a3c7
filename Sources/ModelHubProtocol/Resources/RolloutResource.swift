/// A guarded rollout, in the hub's own API.
package struct RolloutResource: Codable, Sendable {
    /// A guard and its comparison.
    package struct Guard: Codable, Sendable {
        /// `failures`, `latency`, `confidence`, or `score:` and a name.
        package var `guard`: String
        /// `percent` or `points`.
        package var unit: String
        /// The numbers of devices with reports.
        package var newDevices, oldDevices: Int
        /// The means: a share, milliseconds (the geometric mean), or a score. Absent without reports.
        package var newMean, oldMean: Double?
        /// The change for the worse and its always-valid interval; positive is worse. Absent with too few devices.
        package var change, lower, upper: Double?
        /// A change that a rollout must find, and one that is negligible.
        package var harm, tolerance: Double
        /// `too-few`, `harmful`, `uncertain` or `no-harm`.
        package var verdict: String

        /// Creates a guard without a comparison.
        package init(
            _ text: String,
            unit: String,
            devices: (new: Int, old: Int),
            limits: (harm: Double, tolerance: Double),
            verdict: String
        ) {
            (self.guard, self.unit, self.verdict) = (text, unit, verdict)
            (newDevices, oldDevices) = devices
            (harm, tolerance) = limits
        }
    }

    /// The numbers of devices that reported. The groups were drawn in equal size.
    package struct Ratio: Codable, Sendable {
        package var newDevices, oldDevices: Int
        /// The always-valid interval of the percentage of the new version.
        package var lower, upper: Double
        /// Whether the groups report differently for certain.
        package var isUnfair: Bool

        /// Creates a ratio.
        package init(newDevices: Int, oldDevices: Int, lower: Double, upper: Double, isUnfair: Bool) {
            (self.newDevices, self.oldDevices, self.isUnfair) = (newDevices, oldDevices, isUnfair)
            (self.lower, self.upper) = (lower, upper)
        }
    }

    /// Something that happened.
    package struct Event: Codable, Sendable {
        /// RFC 3339.
        package var time: String
        package var text: String
        /// Absent if the hub acted automatically.
        package var actor: String?

        /// Creates an event.
        package init(time: String, text: String, actor: String?) {
            (self.time, self.text, self.actor) = (time, text, actor)
        }
    }

    package var rolloutId: String
    package var model: String
    package var oldVersion, newVersion: Int
    /// `RUNNING`, `PAUSED`, `HALTED`, `FINISHED` or `ABORTED`.
    package var state: String
    /// The percentage of devices that get the new version.
    package var share: Double
    /// The percentages of the plan.
    package var steps: [Double]
    /// The number of the current or last step, from 1.
    package var step: Int
    package var everySeconds: Int
    /// For how long the hub watched the current step.
    package var watchedSeconds: Int
    package var guards: [String]
    /// The parameter of Remote Config that shows apps their group.
    package var parameter: String?
    /// RFC 3339.
    package var startTime: String
    /// RFC 3339; absent while the rollout is active.
    package var endTime: String?
    /// The condition for which the rollout waits, or the reason of its end.
    package var reason: String
    /// Oldest first.
    package var events: [Event]
    /// Absent in lists.
    package var comparisons: [Guard]?
    /// Absent in lists.
    package var ratio: Ratio?

    /// Creates a resource without comparisons.
    package init(
        rolloutId: String,
        model: String,
        versions: (old: Int, new: Int),
        state: String,
        share: Double,
        steps: [Double],
        step: Int,
        everySeconds: Int,
        watchedSeconds: Int,
        guards: [String],
        startTime: String,
        endTime: String?,
        reason: String,
        events: [Event]
    ) {
        self.rolloutId = rolloutId
        self.model = model
        (oldVersion, newVersion) = versions
        self.state = state
        self.share = share
        self.steps = steps
        self.step = step
        self.everySeconds = everySeconds
        self.watchedSeconds = watchedSeconds
        self.guards = guards
        self.startTime = startTime
        self.endTime = endTime
        self.reason = reason
        self.events = events
    }
}

/// The rollouts of a project.
package struct RolloutList: Codable, Sendable {
    package var rollouts: [RolloutResource]

    /// Creates a list.
    package init(rollouts: [RolloutResource]) { self.rollouts = rollouts }
}

/// The plan of a new rollout. The hub has a value for each field that is absent.
package struct RolloutInput: Codable, Sendable {
    /// The name of the model.
    package var model: String
    /// The version that devices get.
    package var version: Int
    package var steps: [Double]?
    package var everySeconds: Int?
    package var guards: [String]?
    package var parameter: String?

    /// Creates a plan.
    package init(
        model: String,
        version: Int,
        steps: [Double]?,
        everySeconds: Int?,
        guards: [String]?,
        parameter: String?
    ) {
        (self.model, self.version) = (model, version)
        (self.steps, self.everySeconds, self.guards) = (steps, everySeconds, guards)
        self.parameter = parameter
    }
}
