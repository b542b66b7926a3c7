import Foundation
import Hummingbird

/// Pages about models: the list, each model, and their actions.
extension Console {
    func addModels(to routes: inout RouteTable) {
        let models = "console/models"
        page(at: models, in: &routes, use: modelList)
        form(at: models, in: &routes, use: createModel)
        page(at: "\(models)/new", for: .publisher, in: &routes) { visit in newModelPage(visit) }
        let model = "\(models)/{model}"
        page(at: model, in: &routes, use: ofModel(modelPage))
        form(at: "\(model)/versions", in: &routes, use: ofModel(addVersion))
        page(at: "\(model)/versions/{version}/file", in: &routes, use: ofModel(versionFile))
        page(at: "\(model)/delete", for: .editor, in: &routes, use: ofModel(deletionPage))
        form(at: "\(model)/delete", for: .editor, in: &routes, use: ofModel(delete))
        form(at: "\(model)/publication", in: &routes, use: ofModel(changePublication))
        form(at: "\(model)/rollback", in: &routes, use: ofModel(rollBack))
        form(at: "\(model)/evaluations", in: &routes, use: ofModel(evaluate))
        form(at: "\(model)/details", in: &routes, use: ofModel(changeDetails))
        form(at: "\(model)/threshold", in: &routes, use: ofModel(changeThreshold))
    }

    /// A page of the model in the path.
    private func ofModel(
        _ page: @escaping @Sendable (ConsoleVisit, ModelRecord) async throws -> Response
    ) -> Page {
        { visit in
            guard let id = try? ModelRecord.id(visit.request["model"]),
                let model = try await hub.metadata.model(id, of: visit.caller.project.id)
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
            return isPublished
                ? "\(model.displayName) is published: clients can download it."
                : "\(model.displayName) is no longer published. Clients that have the model keep it."
        }
    }

    @Sendable
    private func rollBack(_ visit: ConsoleVisit, _ model: ModelRecord) async throws -> Response {
        let form = try await ConsoleForm(visit)
        guard let number = Int(form["version"]) else { throw HubError.invalidArgument }
        return try await change(visit, thenTo: Self.path(of: model)) {
            _ = try await hub.rollBack(model.id, to: number, by: visit.caller)
            return "The hub serves version \(number) again. Clients get it with their next check for updates."
        }
    }

    /// The path of a model's page.
    static func path(of model: ModelRecord) -> String { "/console/models/\(model.id)" }

    /// Changes the model's name and tags.
    @Sendable
    private func changeDetails(_ visit: ConsoleVisit, _ model: ModelRecord) async throws -> Response {
        let form = try await ConsoleForm(visit)
        var patch = ModelPatch()
        patch.displayName = .set(form["name"])
        patch.tags = .set(Self.tags(form["tags"]))
        return try await change(visit, thenTo: Self.path(of: model)) {
            _ = try await hub.patchModel(model.id, patch, by: visit.caller)
            return "The name and the tags are saved."
        }
    }

    @Sendable
    private func changeThreshold(_ visit: ConsoleVisit, _ model: ModelRecord) async throws -> Response {
        let form = try await ConsoleForm(visit)
        let text = form["threshold"]
        var threshold: Double?
        if !text.isEmpty {
            guard let number = Double(text) else {
                throw HubError(.invalidArgument, "A confidence threshold must be a number from 0 to 1, such as 0.5.")
            }
            threshold = number
        }
        let back = form["evaluation"]
        let isFromEvaluation = !back.isEmpty && back.utf8.allSatisfy { (48...57).contains($0) }
        let place = isFromEvaluation ? "/console/evaluations/\(back)" : Self.path(of: model)
        return try await change(visit, thenTo: place) {
            _ = try await hub.setConfidenceThreshold(model.id, to: threshold, by: visit.caller)
            guard let threshold else { return "\(model.displayName) no longer has a confidence threshold." }
            return
                "The confidence threshold of \(model.displayName) is \(threshold). Clients get it with their next check."
        }
    }

    /// Tags as typed by people: separated by spaces or commas.
    static func tags(_ text: String) -> [String] {
        var tags: [String] = []
        for tag in text.split(whereSeparator: { $0.isWhitespace || $0 == "," }).map(String.init)
        where !tags.contains(tag) { tags.append(tag) }
        return tags
    }

    /// The file of a version, as a download.
    @Sendable
    private func versionFile(_ visit: ConsoleVisit, _ model: ModelRecord) async throws -> Response {
        guard let number = Int(visit.request["version"]),
            let version = try await hub.metadata.version(number, of: model.id)
        else {
            throw HubError.entityNotFound
        }
        var response = try await files.response(
            for: version.hash,
            in: hub.blobs,
            to: visit.request
        )
        let name = "\(model.displayName)-\(version.number).tflite"
        response.headers[.contentDisposition] = "attachment; filename=\"\(name)\""
        return response
    }

    @Sendable
    private func deletionPage(_ visit: ConsoleVisit, _ model: ModelRecord) async throws -> Response {
        struct Content {
            var name: String
            var path: String
            var isPublished: Bool
            var versions: String
            var downloads: String
        }
        let versions = try await hub.metadata.versions(of: model.id)
        let downloads = try await hub.downloadCount(of: model.id)
        return .page(
            "model-delete",
            ConsoleChrome(title: "Delete \(model.displayName)", visit: visit),
            Content(
                name: model.displayName,
                path: Self.path(of: model),
                isPublished: model.isPublished,
                versions: ConsoleText.count(versions.count, "version"),
                downloads: ConsoleText.count(downloads, "download")
            )
        )
    }
}

extension Hub {
    /// The number of downloads of a model.
    func downloadCount(of model: Int64) async throws -> Int {
        try await metadata.downloads(of: model) + downloads.pendingCount(of: model)
    }
}
