import HTTPServing

/// The schemas of experiments and their results.
extension Schema {
    static let experiment = fields([
        "experimentId": .text(),
        "state": .choice(["RUNNING", "STOPPED"]),
        "parameter": .text(),
        "condition?": .text("The condition that selects installations. Absent for all."),
        "variants": .list("The first one is the control variant.", of: .experimentVariant),
        "exposurePercent": .number(
            "The percentage of the selected installations that take part.",
            atLeast: 0,
            atMost: 100
        ),
        "startTime": .time("When the experiment started."),
        "stopTime?": .time("When the experiment stopped."),
        "winner?": .text("The variant that all installations get."),
    ]).named("Experiment")

    static let experimentVariant = fields([
        "variantId": .text("Such as `control`."),
        "value?": .text("The value of the parameter. Absent: the value without the experiment."),
        "noChange?": .boolean("True if there is no value."),
        "weight": .integer(
            "The share of installations, relative to the other weights.",
            atLeast: 1,
            atMost: Experiment.weightLimit
        ),
    ]).named("ExperimentVariant")

    static let experimentList = fields([
        "experiments": .list(of: .experiment)
    ]).named("ExperimentList")

    static let experimentInput = fields([
        "experimentId": .text("An id that was never used in the project.", pattern: "^[A-Za-z0-9_-]{1,40}$"),
        "parameter": .text("The parameter to try values for."),
        "condition?": .text("An existing condition. Absent for all installations."),
        "variants": .list(
            "The first one is the control variant.",
            of: .fields([
                "variantId": .text(pattern: "^[A-Za-z0-9_-]{1,40}$"),
                "value?": .text("Absent: the value without the experiment."),
                "weight?": .integer("1 by default.", atLeast: 1, atMost: Experiment.weightLimit),
            ]),
            atMost: Experiment.variantLimit
        ),
        "exposurePercent?": .number("100 by default.", atLeast: 0, atMost: 100),
    ]).named("ExperimentInput")

    static let experimentResults = fields([
        "experiment": .experiment,
        "metrics": .list(
            of: .fields([
                "metric": .text(
                    "`results`, `latency`, `score:` and the name of a score, or `unidentified`: results without an installation token."
                ),
                "variants": .list(of: .outcomeTotal),
            ])
        ),
        "divisionProbability?": .number(
            "The probability that chance alone divides the installations as unevenly. Below 0.001, trust no difference.",
            atLeast: 0,
            atMost: 1
        ),
        "sentences": .list("The results in words.", of: .text()),
    ]).named("ExperimentResults")

    static let outcomeTotal = object("The values of a metric in a variant.").fields([
        "variantId": .text(),
        "model?": .text("Absent for all models together."),
        "installations": .integer("The number of installations that reported."),
        "count": .integer("The number of values."),
        "mean?": .number(),
        "error?": .number("The standard error of the mean."),
        "percentiles?": .object("Percentiles of the latency in milliseconds.").fields([
            "p50?": .number(),
            "p90?": .number(),
            "p99?": .number(),
        ]),
        "comparison?": .object("The difference from the first variant.").fields([
            "difference": .number("The mean minus that of the first variant."),
            "lower?": .number("The lower end of the 95 % interval."),
            "upper?": .number("The upper end of the 95 % interval."),
            "pValue": .number("The probability of such a difference if there is none.", atLeast: 0, atMost: 1),
            "verdict": .choice(VariantComparison.Verdict.allCases.map(\.rawValue)),
        ]),
        "models?": .list("The values of each model.", of: .reference("OutcomeTotal")),
    ]).named("OutcomeTotal")
}
