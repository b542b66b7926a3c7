/// Trying a model with a photo.
extension ModelPart {
    static let trial = ModelPart(name: "try", title: "Try", anchors: "try-title") { console, _, model in
        .init(
            template: "model-trial",
            values: ModelTrialPage(form: console.trialForm(of: model, try await console.offeredVersions(of: model)))
        )
    }
}

private struct ModelTrialPage: Sendable {
    /// The form; nil if no version can be tried.
    var form: Console.TrialForm?
}
