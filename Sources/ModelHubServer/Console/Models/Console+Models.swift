import Foundation
import Hummingbird

/// Pages about models: the list, each model, and their actions.
extension Console {
    func models(_ visit: ConsoleVisit, _ path: ArraySlice<String>) async throws -> Response {
        let path = Array(path)
        let isChange = visit.request.method == .post
        switch (path.count, path.first, path.count > 1 ? path[1] : "", isChange) {
        case (0, _, _, false): return try await modelList(visit)
        case (0, _, _, true): return try await createModel(visit)
        case (1, "new", _, false):
            try visit.caller.require(.publish)
            return newModelPage(visit)
        default: break
        }
        guard let text = path.first, let id = try? HubAPI.modelID(text),
            let model = try await hub.metadata.model(id, of: visit.caller.project.id)
        else {
            throw HubError(.notFound, "The project has no such model; it may have been deleted.")
        }
        let place = Self.path(of: model)
        switch (path.count, path.count > 1 ? path[1] : "", isChange) {
        case (1, _, false): return try await modelPage(visit, model)
        case (2, "versions", true): return try await addVersion(visit, to: model)
        case (4, "versions", false) where path[3] == "file": return try await versionFile(visit, model, path[2])
        case (2, "delete", false):
            try visit.caller.require(.admin)
            return try await deletionPage(visit, model)
        case (2, "delete", true):
            _ = try await ConsoleForm(visit)
            return try await change(visit, thenTo: "/console/models") {
                try await hub.deleteModel(model.id, by: visit.caller)
                return "\(model.displayName) was deleted."
            }
        case (2, "publication", true):
            let isPublished = try await ConsoleForm(visit)["published"] == "true"
            return try await change(visit, thenTo: place) {
                _ = try await hub.patchModel(model.id, .publication(isPublished), by: visit.caller)
                return isPublished
                    ? "\(model.displayName) is published: clients can download it."
                    : "\(model.displayName) is no longer published. Clients that have the model keep it."
            }
        case (2, "rollback", true):
            let form = try await ConsoleForm(visit)
            guard let number = Int(form["version"]) else { throw HubError.invalidArgument }
            return try await change(visit, thenTo: place) {
                _ = try await hub.rollBack(model.id, to: number, by: visit.caller)
                return "The hub serves version \(number) again. Clients get it with their next check for updates."
            }
        case (2, "evaluations", true): return try await evaluate(visit, model)
        case (2, "details", true): return try await changeDetails(visit, model)
        case (2, "threshold", true): return try await changeThreshold(visit, model)
        default: throw HubError(.notFound, "There is no such page.")
        }
    }

    /// The path of a model's page.
    static func path(of model: ModelRecord) -> String { "/console/models/\(model.id)" }

    /// Changes the model's name and tags.
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
    private func versionFile(_ visit: ConsoleVisit, _ model: ModelRecord, _ number: String) async throws -> Response {
        guard let number = Int(number), let version = try await hub.metadata.version(number, of: model.id) else {
            throw HubError.entityNotFound
        }
        var response = try await api.files.response(
            for: version.hash,
            in: hub.blobs,
            to: visit.request
        )
        let name = "\(model.displayName)-\(version.number).tflite"
        response.headers[.contentDisposition] = "attachment; filename=\"\(name)\""
        return response
    }

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
