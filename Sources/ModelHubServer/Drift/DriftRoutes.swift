import HTTPServing
import Hummingbird
import ModelHubProtocol

/// The confidences of a model by week: `/hub/v1/projects/{project}/models/{model}/drift`.
struct DriftRoutes {
    let hub: Hub

    func add(to routes: inout RouteTable) {
        routes.on(.get, at: "hub/v1/projects/{project}/models/{model}/drift", for: .viewer, use: get) {
            APIOperation(.versions, "getModelDrift", "Get the reported confidences of a model by week")
                .explained(
                    "Apps report the score `confidence` with their outcomes. Each report of an installation counts once, at the mean of its results. The first weeks of a version, up to \(StabilityIndex.fewest) reports, are those with which later ones are compared."
                )
                .answers("The versions with reports, newest first.", .modelDrift)
        }
    }

    private func get(_ request: APIRequest, _ caller: Caller) async throws -> Response {
        let name = request["model"]
        let found =
            if let id = try? ModelRecord.id(name) {
                try await hub.records.model(id, of: caller.project.id)
            } else {
                try await hub.records.model(named: name, of: caller.project.id)
            }
        guard let model = found else { throw HubError.entityNotFound }
        return try .json(
            ModelDriftResource(
                model: model.displayName,
                versions: try await hub.confidenceHistories(of: model).map { .init($0) }
            )
        )
    }
}

extension ModelDriftResource.Version {
    fileprivate init(_ history: ConfidenceHistory) {
        self.init(
            version: history.version,
            hasMoved: history.hasMoved,
            weeks: history.weeks.map { week in
                .init(
                    week: String("\(Timestamp(week: week.confidences.week))".prefix(10)),
                    reports: week.confidences.reports,
                    meanConfidence: week.confidences.mean ?? 0,
                    ranges: week.confidences.counts,
                    isFirst: week.isFirst,
                    stabilityIndex: week.index?.value,
                    lower: week.index?.lower,
                    upper: week.index?.upper,
                    hasMoved: week.index.map(\.hasMoved)
                )
            }
        )
    }
}

extension Schema {
    fileprivate static let modelDrift = fields([
        "model": .text("The name of the model."),
        "versions": .list(
            of: .fields([
                "version": .integer(),
                "hasMoved": .boolean(
                    "Whether the confidence is away from that of the first weeks, as of the last week with enough reports."
                ),
                "weeks": .list(
                    "The weeks with reports, oldest first.",
                    of: .fields([
                        "week": .text("The Monday with which the week begins, in UTC, such as `2027-06-14`."),
                        "reports": .integer("The number of reports."),
                        "meanConfidence": .number("The mean of the reports' means."),
                        "ranges": .list(
                            "The number of reports with a mean below 0.1, from 0.1 on but below 0.2, and so on up to 1.",
                            of: .integer()
                        ),
                        "isFirst": .boolean("Whether later weeks are compared with this one."),
                        "stabilityIndex?": .number(
                            "The population stability index against the first weeks, without the part of chance. Absent for these, and for weeks with fewer than \(StabilityIndex.fewest) reports."
                        ),
                        "lower?": .number("The lower end of the index's interval, three standard deviations below."),
                        "upper?": .number("The upper end of the index's interval."),
                        "hasMoved?": .boolean(
                            "Whether the confidence moved for certain: the lower end is above \(StabilityIndex.limit)."
                        ),
                    ])
                ),
            ])
        ),
    ]).named("ModelDrift")
}
