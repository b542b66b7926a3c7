import HTTPServing
import Hummingbird
import ModelHubProtocol

/// The comparisons of a model's versions that answered the same requests: `/hub/v1/projects/{project}/models/{model}/shadows`.
struct ShadowRoutes {
    let hub: Hub

    func add(to routes: inout RouteTable) {
        routes.on(.get, at: "hub/v1/projects/{project}/models/{model}/shadows", for: .viewer) { request, caller in
            let model = try await ModelDetailRoutes(hub: hub).model(request["model"], of: caller)
            let shadows = try await hub.records.shadows(of: model.id)
            return try .json(ShadowList(shadows: shadows.map { ShadowResource($0) }))
        } describedBy: {
            APIOperation(.versions, "listShadows", "See how often the answers of two versions differ")
                .explained(
                    "Servers (`sightline serve --shadow`) and apps let a second version answer a share of their requests unseen, and report the counts as outcomes."
                )
                .answers("The comparisons, those with the latest reports first.", .shadowList)
        }
    }
}

extension Schema {
    /// The comparison of two versions in a batch of outcomes.
    static let shadowOutcome = object("How often the answers of two versions of a model to the same requests differ.")
        .fields([
            "model": .text("The name of the model."),
            "served": .text("The SHA-256 of the file of the version that answered.", pattern: "^[0-9a-f]{64}$"),
            "candidate": .text("The SHA-256 of the version that answered unseen.", pattern: "^[0-9a-f]{64}$"),
            "count": .integer(
                "The number of compared answers; 0 for further labels of an earlier report.",
                atLeast: 0,
                atMost: ShadowOutcome.Limits.count
            ),
            "different": .integer("The number of those that differ.", atLeast: 0, atMost: ShadowOutcome.Limits.count),
            "labels": .list(
                "The same by label, at most \(ShadowOutcome.Limits.labels) labels.",
                of: .fields([
                    "label": .text("At most \(ShadowOutcome.Limits.labelLength) bytes."),
                    "count": .integer(atLeast: 0, atMost: ShadowOutcome.Limits.count),
                    "different": .integer(atLeast: 0, atMost: ShadowOutcome.Limits.count),
                ]).closed,
                atMost: ShadowOutcome.Limits.labels
            ),
        ]).closed.named("ShadowOutcome")

    private static let differenceShare = object("A share of answers that differ.").fields([
        "count": .integer("The number of compared answers."),
        "different": .integer("The number of those that differ."),
        "percent?": .number("Absent without answers."),
        "lower": .number(
            "The lower end of the interval in percent, with a confidence of 95 %, valid however often it is looked at."
        ),
        "upper": .number(),
    ]).named("DifferenceShare")

    fileprivate static let shadowList = fields([
        "shadows": .list(
            of: .fields([
                "servedVersion": .integer("The version that answered."),
                "candidateVersion": .integer("The version that answered unseen."),
                "installations": .integer("The number of apps and servers that reported."),
                "share": differenceShare,
                "firstTime": .time(), "lastTime": .time(),
                "labels": .list(
                    "The labels with the most answers.",
                    of: .fields(["label": .text(), "share": differenceShare])
                ),
            ]).named("Shadow")
        )
    ]).named("ShadowList")
}
