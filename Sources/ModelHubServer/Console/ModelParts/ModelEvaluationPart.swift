/// The evaluations of a model.
extension ModelPart {
    static let evaluation = ModelPart(name: "evaluate", title: "Evaluate", anchors: "evaluation-title drift-title") {
        console,
        visit,
        model in
        let evaluations = try await console.hub.records.evaluations(of: model.id)
        let versions = try await console.offeredVersions(of: model)
        return .init(
            template: "model-evaluate",
            values: ModelEvaluationPage(
                evaluations: console.evaluationList(of: model, versions, evaluations, by: visit.caller),
                drift: try await console.driftViews(of: model, evaluations),
                fewest: StabilityIndex.fewest
            )
        )
    }
}

private struct ModelEvaluationPage: Sendable {
    var evaluations: Console.EvaluationList
    /// The reported confidences of versions.
    var drift: [DriftView]
    /// The fewest reports that are compared.
    var fewest: Int
}
