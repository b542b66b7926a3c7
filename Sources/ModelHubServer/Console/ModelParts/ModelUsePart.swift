import ModelHubProtocol
import TextFormatting

/// Code that uses a model.
extension ModelPart {
    static let use = ModelPart(name: "use", title: "Use", anchors: "code-title") { console, visit, model in
        let versions = try await console.offeredVersions(of: model)
        let served = versions.first { $0.number == model.file?.version }
        let format = if let served { await console.hub.formats(of: [served])[served.hash] } else { HostedFormat?.none }
        return .init(
            template: "model-use",
            values: ModelUsePage(code: try await console.code(of: model, served, in: format ?? .tensorFlowLite, visit))
        )
    }
}

private struct ModelUsePage: Sendable {
    /// Nil while no version is served.
    var code: ModelCodeView?
}

extension Console {
    /// Code for the served version; nil without such a version.
    fileprivate func code(
        of model: ModelRecord,
        _ served: ModelVersion?,
        in format: HostedFormat,
        _ visit: ConsoleVisit
    ) async throws -> ModelCodeView? {
        guard let served else { return nil }
        let project = visit.caller.project
        var keyNames: [String]?
        if visit.caller.role >= .owner {
            let now = hub.now()
            keyNames = try await hub.records.credentials(of: .project(project.id))
                .filter { $0.kind == .apiKey && $0.isValid(at: now) }.map(\.name)
        }
        return ModelCodeView(
            of: model,
            project,
            base: visit.request.base,
            task: served.task,
            format: format,
            keyNames: keyNames
        )
    }
}
