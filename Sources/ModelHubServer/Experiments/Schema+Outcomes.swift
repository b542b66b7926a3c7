import HTTPServing
import ModelHubProtocol

/// The schemas of the outcomes that apps report.
extension Schema {
    static let outcomeBatch = object("Results of the variants of experiments, at most 64 KiB of JSON.").fields([
        "batchId": .text(
            "An id that the app chooses at random for each batch, such as a UUID. The hub counts a batch once, so that an app may send it again until it gets an answer.",
            pattern: "^[A-Za-z0-9_-]{8,64}$"
        ),
        "outcomes": .list(
            "At most 50 outcomes, with at most 50 counts, latencies and scores of different models and variants.",
            of: .outcome,
            atMost: OutcomeBatch.Limits.outcomes
        ),
        "shadows?": .list(
            "Comparisons of two versions' answers. They need an installation token; the hub ignores comparisons of versions that it does not have.",
            of: .shadowOutcome,
            atMost: ShadowOutcome.Limits.shadows
        ),
    ]).closed.named("OutcomeBatch")

    static let outcome = object("The results of a model under a variant, as sums.").fields([
        "experimentId": .text(
            "`experimentId` of the experiment's description in the fetched values, or the id of a rollout in `X-Sightline-Rollout`.",
            pattern: "^[A-Za-z0-9_-]{1,40}$"
        ),
        "variantId": .text(
            "`variantId` of the same description, or the group `new` or `old` of the rollout. With an installation token, the hub ignores results for other variants.",
            pattern: "^[A-Za-z0-9_-]{1,40}$"
        ),
        "model": .text("The name of the model that gave the results.", pattern: "^[A-Za-z0-9_-]{1,60}$"),
        "count": .integer("The number of results.", atLeast: 1, atMost: OutcomeBatch.Limits.count),
        "latency?": .latencySums,
        "scores?": .map(
            "At most 20 scores that the app defines, such as `accepted` with the value 1 for each result that the user kept and 0 for each other result. A rollout's guard `failures` compares the score `failures`, which is 1 for each failed result and 0 for each other one, and its guard `confidence` the score `confidence`. A name has 1 to 40 letters, digits and underscores, and does not begin with a digit.",
            of: .sums
        ),
    ]).closed.named("Outcome")

    static let latencySums = object("Sums of latencies.").fields([
        "count": .integer("The number of values.", atLeast: 1, atMost: OutcomeBatch.Limits.count),
        "sum": .number("The sum of the latencies in milliseconds.", atLeast: 0),
        "squares": .number("The sum of the squares of the latencies.", atLeast: 0),
        "histogram": .map(
            "The number of values in each bucket, by the bucket's number from 0 to 159. The counts of all buckets add up to `count`. The bucket of a latency of t ms is `floor(8 · log2(t / 0.1))`, at least 0 and at most 159.",
            of: .integer(atLeast: 1)
        ),
    ]).named("LatencySums")

    static let sums = object("Sums of the values of a score. Higher values are better.").fields([
        "count": .integer("The number of values.", atLeast: 1, atMost: OutcomeBatch.Limits.count),
        "sum": .number("The sum of the values. No value is beyond ±10⁹."),
        "squares": .number("The sum of the squares of the values."),
    ]).named("Sums")

    static let outcomeReceipt = fields([
        "accepted": .integer("The number of accepted outcomes."),
        "ignored": .integer(
            "The number of ignored outcomes: of unknown or stopped experiments, of unknown variants, or of another variant than the installation's."
        ),
        "repeated": .boolean("Whether the hub already had the batch, so that nothing was added."),
    ]).named("OutcomeReceipt")
}
