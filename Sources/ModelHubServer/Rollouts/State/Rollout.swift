/// A version of a model on its way to all devices, as a value.
///
/// The state machine is pure: it reads neither clock nor store. Its only automatic actions are to take the plan's next step, or to return
/// to the old version. Time counts only while a hub watches: a clock that jumps forward, or a hub that was off, takes no step early.
package struct Rollout: Sendable, Hashable, Codable {
    /// The state of the rollout.
    package enum State: String, Sendable, Hashable, Codable, CaseIterable {
        /// The steps follow each other without a person.
        case running
        /// Devices keep their versions, and no step is taken. The guards still watch.
        case paused
        /// A guard returned all devices to the old version.
        case halted
        /// All devices have the new version.
        case finished
        /// A person returned all devices to the old version.
        case aborted
    }

    /// An automatic change.
    package enum Change: Sendable, Hashable {
        /// The next step began.
        case stepped
        /// The last step began: all devices get the new version.
        case finished
        /// A guard returned all devices to the old version.
        case halted
    }

    /// A change of the rollout.
    package struct Event: Sendable, Hashable, Codable {
        /// When it happened.
        package var time: Timestamp
        /// The event, in words.
        package var text: String
        /// The name of the person or program; nil for the hub itself.
        package var actor: String?
    }

    /// The id, which is never used again in the project. Devices are drawn by it.
    package var id: String
    /// The model's number.
    package var model: Int64
    /// The model's name.
    package var modelName: String
    /// The served version, to which a halt returns.
    package var oldVersion: Int
    /// The version that is rolled out.
    package var newVersion: Int
    /// The owner's plan.
    package let plan: RolloutPlan
    /// The state.
    package private(set) var state = State.running
    /// The index of the current step, or of the last one.
    package private(set) var step = 0
    /// The time of the start.
    package let startTime: Timestamp
    /// The time of the end; nil while the rollout is active.
    package private(set) var endTime: Timestamp?
    /// The time for which a hub watched the current step, in milliseconds, without pauses.
    package private(set) var watched: Int64 = 0
    /// When a hub last watched.
    package private(set) var watchTime: Timestamp
    /// The present action of the rollout, the condition for which it waits, or the reason of its end, in words.
    package private(set) var reason: String
    /// The events, oldest first.
    package private(set) var events: [Event]

    /// Starts a rollout with the first step of its plan.
    package init(
        id: String,
        model: (number: Int64, name: String),
        versions: (old: Int, new: Int),
        plan: RolloutPlan,
        at time: Timestamp,
        by actor: String?
    ) {
        self.id = id
        (self.model, modelName) = model
        (oldVersion, newVersion) = versions
        self.plan = plan
        startTime = time
        watchTime = time
        reason = "Waits for the first reports."
        let share = RolloutText.percent(plan.steps.first ?? 0)
        let text =
            "Started: version \(versions.new) for \(share) of the devices, version \(versions.old) for the others."
        events = [Event(time: time, text: text, actor: actor)]
    }

    /// Whether devices may have either version.
    package var isActive: Bool { state == .running || state == .paused }

    /// The percentage of devices that get the new version.
    package var share: Double {
        switch state {
        case .running, .paused: plan.steps.indices.contains(step) ? plan.steps[step] : 0
        case .finished: 100
        case .halted, .aborted: 0
        }
    }

    /// The longest time between two checks that counts as watched, in milliseconds.
    static let longestWatch: Int64 = 5 * 60 * 1000
    /// The part of a step's time after which the ratio of devices is tested: first they have to download the version.
    static let settlingPart = 0.25
    /// The factor of the plan's time that a step waits until a harm is excluded; then the rollout continues if no guard objects.
    static let patience: Int64 = 3

    /// The comparisons of the guards, in the order of the plan, and of the numbers of devices.
    package func comparisons(_ evidence: RolloutEvidence) -> (readings: [GuardReading], ratio: RatioReading) {
        (evidence.readings(plan.guards), evidence.ratio(besides: plan.guards.count))
    }

    // MARK: - What the hub does

    /// Looks at the evidence, and takes the plan's next step or returns to the old version if it is time.
    ///
    /// - Returns: The change; nil if the devices keep their versions.
    package mutating func advance(_ evidence: RolloutEvidence, at time: Timestamp) -> Change? {
        guard isActive else { return nil }
        watch(until: time)
        let (readings, ratio) = comparisons(evidence)
        if let objection = objection(readings, ratio) {
            end(.halted, "Halted: \(objection) All devices return to version \(oldVersion).", at: time, by: nil)
            return .halted
        }
        guard state == .running else { return nil }
        if let waiting = waiting(readings) {
            reason = waiting
            return nil
        }
        guard step + 1 < plan.steps.count else {
            reason = "The plan ends at \(RolloutText.percent(share)); waits for a person to finish or abort."
            return nil
        }
        let doubts = readings.filter { !$0.excludesHarm }
        step += 1
        watched = 0
        let remark = doubts.isEmpty ? "" : " " + RolloutText.doubts(doubts)
        if plan.steps[step] >= 100 {
            end(.finished, "Finished by the plan: all devices get version \(newVersion).\(remark)", at: time, by: nil)
            return .finished
        }
        reason = "The step began."
        events.append(
            Event(time: time, text: "\(RolloutText.percent(share)) of the devices get version \(newVersion).\(remark)")
        )
        return .stepped
    }

    /// Counts the time since the last look, if the clock is plausible.
    private mutating func watch(until time: Timestamp) {
        let passed = time.milliseconds.subtractingReportingOverflow(watchTime.milliseconds)
        watchTime = time
        guard state == .running, !passed.overflow, passed.partialValue > 0 else { return }
        watched += min(passed.partialValue, Self.longestWatch)
    }

    /// The reason to return to the old version; nil if there is none.
    private func objection(_ readings: [GuardReading], _ ratio: RatioReading) -> String? {
        let harms = readings.filter(\.isHarmful).map { RolloutText.harm($0, than: oldVersion, at: share) }
        if !harms.isEmpty { return harms.joined(separator: " ") }
        let isSettled = Double(watched) >= Double(plan.seconds) * 1000 * Self.settlingPart
        return isSettled && ratio.isUnfair ? RolloutText.unfairness(ratio) : nil
    }

    /// The condition for which the next step waits; nil if there is none.
    private func waiting(_ readings: [GuardReading]) -> String? {
        let needed = Int64(plan.seconds) * 1000
        let missing = readings.filter { $0.change == nil }
        guard watched >= needed else {
            return "Watched \(RolloutText.duration(watched)) of \(RolloutText.duration(needed))"
                + (missing.isEmpty ? "." : "; \(RolloutText.missing(missing)).")
        }
        guard missing.isEmpty else { return "Waits for reports: \(RolloutText.missing(missing))." }
        let doubts = readings.filter { !$0.excludesHarm }
        guard !doubts.isEmpty, watched < needed * Self.patience else { return nil }
        return "Waits for more evidence, for at most \(RolloutText.duration(needed * Self.patience - watched)). "
            + RolloutText.doubts(doubts)
    }

    private mutating func end(_ state: State, _ text: String, at time: Timestamp, by actor: String?) {
        self.state = state
        endTime = time
        reason = text
        events.append(Event(time: time, text: text, actor: actor))
    }

    // MARK: - What people do

    /// Takes no steps until ``resume(at:by:)``; false if the rollout is not running.
    package mutating func pause(at time: Timestamp, by actor: String) -> Bool {
        guard state == .running else { return false }
        watch(until: time)
        state = .paused
        reason = "Paused: the devices keep their versions, and the guards still watch."
        events.append(Event(time: time, text: "Paused.", actor: actor))
        return true
    }

    /// Resumes the steps; false if the rollout is not paused.
    package mutating func resume(at time: Timestamp, by actor: String) -> Bool {
        guard state == .paused else { return false }
        watch(until: time)
        state = .running
        reason = "Resumed."
        events.append(Event(time: time, text: "Resumed.", actor: actor))
        return true
    }

    /// Gives all devices the new version; false if the rollout is not active.
    package mutating func finish(at time: Timestamp, by actor: String) -> Bool {
        guard isActive else { return false }
        end(.finished, "Finished by hand: all devices get version \(newVersion).", at: time, by: actor)
        return true
    }

    /// Returns all devices to the old version; false if the rollout is not active.
    package mutating func abort(at time: Timestamp, by actor: String) -> Bool {
        guard isActive else { return false }
        end(.aborted, "Aborted: all devices return to version \(oldVersion).", at: time, by: actor)
        return true
    }
}
