import ModelHubProtocol

extension RolloutResource {
    /// Describes a rollout.
    init(_ rollout: Rollout) {
        self.init(
            rolloutId: rollout.id,
            model: rollout.modelName,
            versions: (rollout.oldVersion, rollout.newVersion),
            state: rollout.state.rawValue.uppercased(),
            share: rollout.share,
            steps: rollout.plan.steps,
            step: rollout.step + 1,
            everySeconds: rollout.plan.seconds,
            watchedSeconds: Int(rollout.watched / 1000),
            guards: rollout.plan.guards.map(\.text),
            startTime: "\(rollout.startTime)",
            endTime: rollout.endTime.map { "\($0)" },
            reason: rollout.reason,
            events: rollout.events.map { Event(time: "\($0.time)", text: $0.text, actor: $0.actor) }
        )
        parameter = rollout.plan.parameter
    }

    /// Describes a rollout with its present comparisons.
    init(_ rollout: Rollout, _ evidence: RolloutEvidence) {
        self.init(rollout)
        let (readings, found) = rollout.comparisons(evidence)
        comparisons = readings.map { Guard($0) }
        ratio = Ratio(
            newDevices: found.new,
            oldDevices: found.old,
            lower: found.interval.lowerBound * 100,
            upper: found.interval.upperBound * 100,
            isUnfair: found.isUnfair
        )
    }
}

extension RolloutResource.Guard {
    fileprivate init(_ reading: GuardReading) {
        let rolloutGuard = reading.rolloutGuard
        self.init(
            rolloutGuard.text,
            unit: rolloutGuard.scale == .points ? "points" : "percent",
            devices: (reading.new.devices, reading.old.devices),
            limits: (rolloutGuard.shown(rolloutGuard.harm), rolloutGuard.shown(rolloutGuard.tolerance)),
            verdict: reading.verdict.rawValue
        )
        newMean = reading.new.mean.map(rolloutGuard.shownMean)
        oldMean = reading.old.mean.map(rolloutGuard.shownMean)
        guard let found = reading.change else { return }
        change = rolloutGuard.shown(found.value)
        lower = rolloutGuard.shown(found.lower)
        upper = rolloutGuard.shown(found.upper)
    }
}
