import Foundation
import Hummingbird
import TextFormatting

/// Pages about models: the list, each model, and their actions.
extension Console {
    func addModels(to routes: inout RouteTable) {
        let models = "console/models"
        page(at: models, in: &routes, use: modelList)
        form(at: models, in: &routes, use: createModel)
        page(at: "\(models)/new", for: .publisher, in: &routes) { visit in newModelPage(visit) }
        let model = "\(models)/{model}"
        addParts(of: model, to: &routes)
        addVersions(of: model, to: &routes)
        addCards(of: model, to: &routes)
        addTrials(of: model, to: &routes)
        page(at: "\(model)/delete", for: .editor, in: &routes, use: ofModel(deletionPage))
        form(at: "\(model)/delete", for: .editor, in: &routes, use: ofModel(delete))
        form(at: "\(model)/publication", in: &routes, use: ofModel(changePublication))
        form(at: "\(model)/evaluations", in: &routes, use: ofModel(evaluate))
        form(at: "\(model)/details", in: &routes, use: ofModel(changeDetails))
    }

    /// A page of the model in the path.
    func ofModel(
        _ page: @escaping @Sendable (ConsoleVisit, ModelRecord) async throws -> Response
    ) -> Page {
        { visit in
            guard let id = try? ModelRecord.id(visit.request["model"]),
                let model = try await hub.records.model(id, of: visit.caller.project.id)
            else {
                throw HubError(.notFound, "The project has no such model; it may have been deleted.")
            }
            return try await page(visit, model)
        }
    }

    @Sendable
    private func delete(_ visit: ConsoleVisit, _ model: ModelRecord) async throws -> Response {
        _ = try await ConsoleForm(visit)
        return try await change(visit, thenTo: "/console/models") {
            try await hub.deleteModel(model.id, by: visit.caller)
            return "\(model.displayName) was deleted."
        }
    }

    @Sendable
    private func changePublication(_ visit: ConsoleVisit, _ model: ModelRecord) async throws -> Response {
        let isPublished = try await ConsoleForm(visit)["published"] == "true"
        return try await change(visit, thenTo: Self.path(of: model)) {
            _ = try await hub.patchModel(model.id, .publication(isPublished), by: visit.caller)
            if isPublished { return "\(model.displayName) is published: clients can download it." }
            let warning = try await useWarning(of: model.displayName, visit)
            return "\(model.displayName) is no longer published. Clients that have the model keep it.\(warning)"
        }
    }

    /// Warns about values of Remote Config that name a model which apps can no longer download.
    private func useWarning(of name: String, _ visit: ConsoleVisit) async throws -> String {
        let uses = try await hub.configTemplate(by: visit.caller).template.uses(ofModel: name)
        return Self.warning(uses.isEmpty ? [] : ["Remote Config still names \(name): \(uses.joined(separator: "; "))."])
    }

    /// Changes the model's name and tags.
    @Sendable
    private func changeDetails(_ visit: ConsoleVisit, _ model: ModelRecord) async throws -> Response {
        let form = try await ConsoleForm(visit)
        var patch = ModelPatch()
        patch.displayName = .set(form["name"])
        patch.tags = .set(Self.tags(form["tags"]))
        return try await change(visit, thenTo: Self.path(of: model, .settings)) {
            _ = try await hub.patchModel(model.id, patch, by: visit.caller)
            let isRenamed = form["name"] != model.displayName
            let warning = isRenamed ? try await useWarning(of: model.displayName, visit) : ""
            return "The name and the tags are saved.\(warning)"
        }
    }

    /// Tags as typed by people: separated by spaces or commas.
    static func tags(_ text: String) -> [String] {
        var tags: [String] = []
        for tag in text.split(whereSeparator: { $0.isWhitespace || $0 == "," }).map(String.init)
        where !tags.contains(tag) { tags.append(tag) }
        return tags
    }

    @Sendable
    private func deletionPage(_ visit: ConsoleVisit, _ model: ModelRecord) async throws -> Response {
        struct Content {
            var name: String
            var path: String
            var isPublished: Bool
            var versions: String
            var downloads: String
            var uses: [String]
            var isUsed: Bool
            /// The reason why the model cannot be deleted now; nil if there is none.
            var refusal: String?
        }
        let uses = try await hub.configTemplate(by: visit.caller).template.uses(ofModel: model.displayName)
        let versions = try await hub.records.versions(of: model.id)
        let downloads = try await hub.downloadCount(of: model.id)
        return .page(
            "model-delete",
            ConsoleChrome(title: "Delete \(model.displayName)", visit: visit),
            Content(
                name: model.displayName,
                path: Self.path(of: model),
                isPublished: model.isPublished,
                versions: NumberText.grouped(versions.count, "version"),
                downloads: NumberText.grouped(downloads, "download"),
                uses: uses,
                isUsed: !uses.isEmpty,
                refusal: try await hub.deletionRefusal(of: model, by: visit.caller)?.message
            )
        )
    }
}

extension Hub {
    /// The number of downloads of a model.
    func downloadCount(of model: Int64) async throws -> Int {
        try await records.downloads(of: model) + downloads.pendingCount(of: model)
    }

    /// The number of downloads of each of some versions of a model, newest first, by their numbers.
    func downloadCounts(of model: Int64, versions: some Sequence<ModelVersion>) async throws -> [Int: Int] {
        var counts = try await records.versionDownloads(of: model)
        var pending = downloads.pendingCounts(of: model)
        for version in versions { counts[version.number, default: 0] += pending.removeValue(forKey: version.hash) ?? 0 }
        return counts
    }
}
