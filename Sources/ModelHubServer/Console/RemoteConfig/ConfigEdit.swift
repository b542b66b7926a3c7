import Foundation
import Hummingbird
import TextFormatting

/// A change of the template with a form.
struct ConfigEdit: Sendable {
    /// The description for the list of versions: `Changed the parameter "plants"`.
    var description: String
    /// The message after the change.
    var success: String
    /// The page after the change.
    var target: String
    /// Parameters for which the form chose a model.
    var modelKeys: Set<String> = []
    /// The change.
    var apply: @Sendable (inout ConfigTemplate) throws(HubError) -> Void
}

extension HubError {
    /// Whether the form is shown again with the reason, so that its author can correct the change.
    var isRefusedConfig: Bool { code == .invalidArgument || (code == .failedPrecondition && httpStatus != 412) }

    /// The same for the form of an experiment or a rollout.
    var isRefusedForm: Bool { httpStatus < 500 && code != .permissionDenied }
}

extension Console {
    private struct ConflictPage: Sendable {
        struct Field: Sendable {
            var name: String
            var value: String
        }

        var action: String
        var fields: [Field]
        var etag: String
        var version: String
        var author: String
        var theirs: String
        var mine: String
        var diff: DiffView
        var isText: Bool
        var canApply: Bool
        var problem: String
    }

    /// Publishes a change of the template, or shows both texts if the template changed meanwhile.
    ///
    /// - Throws: The error of the template's rules.
    func publish(_ edit: ConfigEdit, _ form: ConsoleForm, _ visit: ConsoleVisit) async throws -> Response {
        let current = try await hub.configTemplate(by: visit.caller)
        guard current.etag == form["etag"] else { return conflict(edit, form, current, visit) }
        var template = current.template
        try edit.apply(&template)
        guard template != current.template else {
            return try await change(visit, thenTo: edit.target) { "There was nothing to change." }
        }
        do {
            let published = try await hub.publishConfig(
                template,
                description: edit.description,
                replacing: form["etag"],
                origin: "CONSOLE",
                by: visit.caller
            )
            let version = published.version.number
            let models = try await ModelParameters(of: visit.caller.project.id, hub)
            func warnings(_ template: ConfigTemplate) -> [String] {
                models.problems(in: template, knowing: edit.modelKeys) + template.warnings
            }
            let known = Set(warnings(current.template))
            let warning = Self.warning(warnings(template).filter { !known.contains($0) })
            return try await change(visit, thenTo: edit.target) {
                "\(edit.success) Version \(version) is active; apps get it with their next fetch.\(warning)"
            }
        } catch let error as HubError where error.httpStatus == 412 {
            return conflict(edit, form, try await hub.configTemplate(by: visit.caller), visit)
        }
    }

    /// Warnings as the end of a message.
    static func warning(_ warnings: [String]) -> String {
        warnings.isEmpty ? "" : " Warning: \(warnings.prefix(5).joined(separator: " "))"
    }

    /// Shows both texts, with the choice to apply the change to the newest one.
    private func conflict(
        _ edit: ConfigEdit,
        _ form: ConsoleForm,
        _ current: PublishedTemplate,
        _ visit: ConsoleVisit
    ) -> Response {
        var template = current.template
        var problem = ""
        do {
            try edit.apply(&template)
        } catch {
            problem = error.message
        }
        let isText = form.fields["json"] != nil
        let (theirs, mine) = (JSONText.indented(current.json), template.json(pretty: true))
        return .page(
            "config-conflict",
            ConsoleChrome(title: "Changed meanwhile", visit: visit),
            ConflictPage(
                action: "/" + visit.request.path.map(Self.encoded).joined(separator: "/"),
                fields: form.fields.filter { ![ConsoleForm.tokenField, "etag", "json"].contains($0.key) }
                    .sorted { $0.key < $1.key }.map { .init(name: $0.key, value: $0.value) },
                etag: current.etag,
                version: "\(current.version.number)",
                author: ConsoleChrome.name(of: current.version.updateUser),
                theirs: theirs,
                mine: isText ? form.fields["json"] ?? "" : mine,
                diff: DiffView(from: theirs, to: mine),
                isText: isText,
                canApply: problem.isEmpty,
                problem: problem
            ),
            status: .preconditionFailed
        )
    }
}
