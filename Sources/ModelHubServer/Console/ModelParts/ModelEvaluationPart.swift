/// The evaluations of a model.
extension ModelPart {
    static let evaluation = ModelPart(
        name: "evaluate",
        title: "Evaluate",
        anchors: "evaluation-title shadow-title drift-title"
    ) { console, visit, model in
        let evaluations = try await console.hub.records.evaluations(of: model.id)
        let versions = try await console.offeredVersions(of: model)
        let shadow = try await console.shadows(of: model)
        return .init(
            template: "model-evaluate",
            values: ModelEvaluationPage(
                evaluations: console.evaluationList(of: model, versions, evaluations, by: visit.caller),
                shadow: shadow.comparisons.isEmpty ? nil : shadow,
                drift: try await console.driftViews(of: model, evaluations),
                fewest: StabilityIndex.fewest
            )
        )
    }
}

private struct ModelEvaluationPage: Sendable {
    var evaluations: Console.EvaluationList
    /// The comparisons of versions on the same requests; nil without a report.
    var shadow: ShadowView?
    /// The reported confidences of versions.
    var drift: [DriftView]
    /// The fewest reports that are compared.
    var fewest: Int
}
