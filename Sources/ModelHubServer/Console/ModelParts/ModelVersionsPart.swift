import ModelHubProtocol

/// The versions of a model, their aliases, and uploads of new ones.
extension ModelPart {
    static let versions = ModelPart(name: "versions", title: "Versions", anchors: "versions-title") {
        console,
        visit,
        model in
        .init(template: "model-versions", values: try await console.versionsPart(visit, model))
    }
}

private struct ModelVersionsPage: Sendable {
    struct Alias: Sendable {
        var alias: String
        var version: String
    }

    var versions: [ModelVersionView]
    var olderPath: String?
    /// All aliases except `production`.
    var aliases: [Alias]
    /// The versions that forms offer, the served version chosen.
    var choices: [ModelVersionView.Choice]
}

extension Console {
    /// The number of versions on a page.
    static let versionPage = 100

    fileprivate func versionsPart(_ visit: ConsoleVisit, _ model: ModelRecord) async throws -> ModelVersionsPage {
        let start = visit.request.query["before"].flatMap { Int($0) }
        let found = try await hub.records.versions(of: model.id, before: start, limit: Self.versionPage + 1)
        let versions = found.prefix(Self.versionPage)
        let isSigning = try await !hub.validSigningKeys(of: visit.caller.project.id).isEmpty
        let rows = try await ModelVersionView.rows(
            of: model,
            versions,
            try await hub.records.evaluations(of: model.id),
            isSigning ? try await hub.manifestStatuses(of: model) : [],
            hub,
            by: visit.caller
        )
        return ModelVersionsPage(
            versions: rows,
            olderPath: found.count > versions.count
                ? "\(Self.path(of: model, .versions))?before=\(versions.last?.number ?? 0)" : nil,
            aliases: model.aliases.map { .init(alias: $0.rawValue, version: "\($1)") }.sorted { $0.alias < $1.alias },
            choices: try await offeredVersions(of: model).map {
                .init($0, of: model, isChosen: $0.number == model.file?.version)
            }
        )
    }
}
