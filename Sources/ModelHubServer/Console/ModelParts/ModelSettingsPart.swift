import ModelHubProtocol

/// The threshold, the card, the name and the tags of a model, and its end.
extension ModelPart {
    static let settings = ModelPart(
        name: "settings",
        title: "Settings",
        anchors: "threshold-title card-title details-title delete-title",
        role: .publisher
    ) { console, _, model in
        .init(
            template: "model-settings",
            values: ModelSettingsPage(
                choices: try await console.offeredVersions(of: model).map {
                    .init($0, of: model, isChosen: $0.number == model.file?.version)
                },
                threshold: model.file?.confidenceThreshold.map { "\($0)" } ?? "",
                card: model.card,
                tagText: model.tags.joined(separator: ", ")
            )
        )
    }
}

private struct ModelSettingsPage: Sendable {
    /// The versions that can have a threshold, the served version chosen.
    var choices: [ModelVersionView.Choice]
    var threshold: String
    var card: ModelCard
    var tagText: String
}
