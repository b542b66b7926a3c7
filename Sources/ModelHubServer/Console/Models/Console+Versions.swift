import Foundation
import Hummingbird
import ModelHubProtocol

/// Actions on the versions of a model.
extension Console {
    /// - Parameter model: The path of a model's page.
    func addVersions(of model: String, to routes: inout RouteTable) {
        form(at: "\(model)/versions", in: &routes, use: ofModel(addVersion))
        page(at: "\(model)/versions/{version}/file", in: &routes, use: ofModel(versionFile))
        form(at: "\(model)/promote", in: &routes, use: ofModel(promote))
        form(at: "\(model)/aliases", in: &routes, use: ofModel(setAlias))
        form(at: "\(model)/aliases/remove", in: &routes, use: ofModel(removeAlias))
        form(at: "\(model)/threshold", in: &routes, use: ofModel(changeThreshold))
    }

    /// The version that a form names.
    private static func version(in form: ConsoleForm) throws(HubError) -> Int {
        guard let number = Int(form["version"]) else {
            throw HubError(.invalidArgument, "No version was chosen; choose a version of the model.")
        }
        return number
    }

    @Sendable
    private func promote(_ visit: ConsoleVisit, _ model: ModelRecord) async throws -> Response {
        let form = try await ConsoleForm(visit)
        let number = try Self.version(in: form)
        let question = try await labelQuestion(
            visit,
            form,
            of: model,
            (model.file?.version, number),
            action: "Serve version \(number)",
            back: Self.path(of: model, .versions)
        )
        if let question { return question }
        return try await change(visit, thenTo: Self.path(of: model, .versions)) {
            let changed = try await hub.promote(model.id, to: number, by: visit.caller)
            let text =
                changed.isPublished
                ? "The hub serves version \(number). Clients get it with their next check for updates."
                : "Version \(number) is the served version. Clients get it after you publish \(model.displayName)."
            return text + (try await labelNotice(from: model, to: changed, visit))
        }
    }

    /// A warning, for the message after a change, that the model has other labels now; empty if it does not.
    func labelNotice(from old: ModelRecord, to new: ModelRecord, _ visit: ConsoleVisit) async throws -> String {
        let change = try await hub.noteLabelChange(from: old, to: new, visit.request.logger)
        return Self.warning([change].compactMap(\.self))
    }

    @Sendable
    private func setAlias(_ visit: ConsoleVisit, _ model: ModelRecord) async throws -> Response {
        let form = try await ConsoleForm(visit)
        let (alias, number) = (ModelAlias(rawValue: form["alias"]), try Self.version(in: form))
        return try await change(visit, thenTo: Self.path(of: model, .versions)) {
            _ = try await hub.setAlias(alias, of: model.id, to: number, by: visit.caller)
            return alias == .staging
                ? "Version \(number) is staged: clients that ask for the alias staging get it."
                : "The alias \(alias) names version \(number). Clients that ask for the alias get it."
        }
    }

    @Sendable
    private func removeAlias(_ visit: ConsoleVisit, _ model: ModelRecord) async throws -> Response {
        let alias = ModelAlias(rawValue: try await ConsoleForm(visit)["alias"])
        return try await change(visit, thenTo: Self.path(of: model, .versions)) {
            _ = try await hub.removeAlias(alias, of: model.id, by: visit.caller)
            return alias == .staging
                ? "No version is staged now. Clients that ask for the alias staging get the served version."
                : "The alias \(alias) was removed."
        }
    }

    @Sendable
    private func changeThreshold(_ visit: ConsoleVisit, _ model: ModelRecord) async throws -> Response {
        let form = try await ConsoleForm(visit)
        let number = try Self.version(in: form)
        let text = form["threshold"]
        var threshold: Double?
        if !text.isEmpty {
            guard let value = Double(text) else {
                throw HubError(.invalidArgument, "A confidence threshold must be a number from 0 to 1, such as 0.5.")
            }
            threshold = value
        }
        let back = form["evaluation"]
        let isFromEvaluation = !back.isEmpty && back.utf8.allSatisfy { (48...57).contains($0) }
        let place = isFromEvaluation ? "/console/evaluations/\(back)" : Self.path(of: model, .settings)
        return try await change(visit, thenTo: place) {
            _ = try await hub.setConfidenceThreshold(model.id, ofVersion: number, to: threshold, by: visit.caller)
            guard let threshold else { return "Version \(number) no longer has a confidence threshold." }
            return
                "The confidence threshold of version \(number) is \(threshold). Clients that have the version get it with their next check."
        }
    }

    /// The file of a version, as a download.
    @Sendable
    private func versionFile(_ visit: ConsoleVisit, _ model: ModelRecord) async throws -> Response {
        guard let number = Int(visit.request["version"]),
            let version = try await hub.records.version(number, of: model.id)
        else {
            throw HubError.entityNotFound
        }
        var response = try await files.response(
            for: version.hash,
            in: hub.blobs,
            to: visit.request
        )
        let format = try await hub.format(of: version.hash)
        let name = "\(model.displayName)-\(version.number).\(format.fileExtension)"
        response.headers[.contentDisposition] = "attachment; filename=\"\(name)\""
        return response
    }
}
