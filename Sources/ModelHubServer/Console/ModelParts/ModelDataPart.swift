/// The inputs and outputs of a model with its labels, and the data sets on which it was trained.
extension ModelPart {
    static let data = ModelPart(name: "data", title: "Data", anchors: "inspection-title") { console, visit, model in
        let shown = Console.shownVersion(of: model, in: try await console.offeredVersions(of: model))
        let trainings = try await console.hub.records.trainings(of: visit.caller.project.id)
        return .init(
            template: "model-data",
            values: ModelDataPage(
                inspection: shown.flatMap { InspectionView(json: $0.inspection) },
                inspected: shown.map { "\($0.number)" } ?? "",
                trainings: trainings.filter { $0.model == model.displayName && $0.version != nil }.map { .init($0) }
            )
        )
    }
}

private struct ModelDataPage: Sendable {
    /// A training whose result is a version of the model.
    struct Row: Sendable {
        var dataSet: String
        var path: String
        var version: String
        var ended: ConsoleTime?
        var actor: String

        init(_ training: Training) {
            dataSet = training.dataSetName
            path = Console.path(ofDataSet: training.dataSetName)
            version = training.version.map { "\($0)" } ?? "–"
            ended = training.endTime.map { ConsoleTime($0) }
            actor = ConsoleChrome.name(of: training.actor)
        }
    }

    var inspection: InspectionView?
    /// The version with that inspection.
    var inspected: String
    /// The trainings, newest first.
    var trainings: [Row]
}
