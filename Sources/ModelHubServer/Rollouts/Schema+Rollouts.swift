import HTTPServing

/// The schemas of rollouts.
extension Schema {
    static let rollout = object("A version of a model on its way to all devices.").fields([
        "rolloutId": .text("Also the seed of `percent('ID')` in conditions, for the same devices."),
        "model": .text("The name of the model."),
        "oldVersion": .integer("The version that the rollout began with, to which a halt returns."),
        "newVersion": .integer("The version that is rolled out."),
        "state": .choice(Rollout.State.allCases.map { $0.rawValue.uppercased() }),
        "share": .number("The percentage of devices that get the new version.", atLeast: 0, atMost: 100),
        "steps": .list("The percentages of the plan.", of: .number(atLeast: 0, atMost: 100)),
        "step": .integer("The number of the current or last step, from 1.", atLeast: 1),
        "everySeconds": .integer("The least time of each step."),
        "watchedSeconds": .integer("The time for which a hub watched the current step."),
        "guards": .list(of: rolloutGuardName),
        "parameter?": .text("The parameter of Remote Config that shows apps their group."),
        "startTime": .time(),
        "endTime?": .time("Absent while the rollout is active."),
        "reason": .text("The condition for which the rollout waits, or the reason of its end."),
        "events": .list("The events of the rollout, oldest first.", of: .rolloutEvent),
        "comparisons?": .list("The guards in the order of the plan. Absent in lists.", of: .rolloutComparison),
        "ratio?": .rolloutRatio,
    ]).named("Rollout")

    private static let rolloutGuardName = text(
        "`failures` (the score `failures`, which is 1 for a failed result and 0 for others), `latency`, `confidence`, or `score:` and a name.",
        pattern: "^(failures|latency|confidence|score:[A-Za-z][A-Za-z0-9_]{0,39})$"
    )

    static let rolloutEvent = fields([
        "time": .time(),
        "text": .text(),
        "actor?": .text("Absent if the hub acted automatically."),
    ]).named("RolloutEvent")

    static let rolloutComparison = object(
        "A guard: the devices with the new version, compared with as many with the old version."
    )
    .fields([
        "guard": rolloutGuardName,
        "unit": .choice(["percent", "points"]),
        "newDevices": .integer("The number of devices with reports and the new version."),
        "oldDevices": .integer("The number of compared devices with reports and the old version."),
        "newMean?": .number("A share, the geometric mean over devices in milliseconds, or a mean score."),
        "oldMean?": .number(),
        "change?": .number("The change for the worse; positive is worse. Absent with too few devices."),
        "lower?": .number("The lower end of the interval, which is valid for repeated looks."),
        "upper?": .number("The upper end of the interval."),
        "harm": .number("A change that the rollout must find."),
        "tolerance": .number("A negligible change."),
        "verdict": .choice(
            GuardReading.Verdict.allCases.map(\.rawValue),
            "`harmful` halts the rollout. `no-harm` excludes a harm."
        ),
    ]).named("RolloutComparison")

    static let rolloutRatio = object("The numbers of devices that reported. The groups were drawn in equal size.")
        .fields([
            "newDevices": .integer(),
            "oldDevices": .integer(),
            "lower": .number(
                "The lower end of the interval of the percentage of the new version.",
                atLeast: 0,
                atMost: 100
            ),
            "upper": .number(atLeast: 0, atMost: 100),
            "isUnfair": .boolean("Whether one of the groups reports less for certain, which halts the rollout."),
        ]).named("RolloutRatio")

    static let rolloutList = fields([
        "rollouts": .list(of: .rollout)
    ]).named("RolloutList")

    static let rolloutInput = fields([
        "model": .text("The name of a published model."),
        "version": .integer("The version that devices get.", atLeast: 1),
        "steps?": .list(
            "Ascending percentages; at 100 the version is served to all. 5, 20, 50 and 100 by default.",
            of: .number(atLeast: 0, atMost: 100),
            atMost: RolloutPlan.stepLimit
        ),
        "everySeconds?": .integer(
            "The least time of each step. A day by default.",
            atLeast: RolloutPlan.times.lowerBound,
            atMost: RolloutPlan.times.upperBound
        ),
        "guards?": .list(
            "The guards. `failures` and `latency` by default.",
            of: rolloutGuardName,
            atMost: RolloutPlan.guardLimit
        ),
        "parameter?": .text(
            "A parameter of Remote Config whose value becomes the id and the group, such as `plants-v3 new`, on the devices that are compared."
        ),
    ]).named("RolloutInput")
}
