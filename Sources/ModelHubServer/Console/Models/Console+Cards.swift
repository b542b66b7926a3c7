import Hummingbird
import ModelHubProtocol

/// Cards of models, and notes of their versions.
extension Console {
    /// - Parameter model: The path of a model's page.
    func addCards(of model: String, to routes: inout RouteTable) {
        form(at: "\(model)/card", in: &routes, use: ofModel(changeCard))
        page(at: "\(model)/versions/{version}/notes", for: .publisher, in: &routes, use: ofModel(notesPage))
        form(at: "\(model)/versions/{version}/notes", in: &routes, use: ofModel(changeNotes))
    }

    /// The card that a form describes.
    static func card(in form: ConsoleForm) -> ModelCardChange {
        ModelCardChange(description: form.text("description"), license: form["license"], author: form["author"])
    }

    /// The card of a new model in a form. What the form leaves empty comes from the metadata in the file.
    static func newCard(in form: ConsoleForm) throws(HubError) -> ModelCardChange {
        func text(_ name: String) -> String? { form[name].isEmpty ? nil : form.text(name) }
        let change = ModelCardChange(description: text("description"), license: text("license"), author: text("author"))
        var card = ModelCard()
        change.apply(to: &card)
        try ModelRules.check(card)
        return change
    }

    @Sendable
    private func changeCard(_ visit: ConsoleVisit, _ model: ModelRecord) async throws -> Response {
        let change = Self.card(in: try await ConsoleForm(visit))
        return try await self.change(visit, thenTo: Self.path(of: model, .settings)) {
            _ = try await hub.changeCard(of: model.id, change, by: visit.caller)
            return "The card is saved."
        }
    }

    /// The version in the path.
    private func version(in visit: ConsoleVisit, of model: ModelRecord) async throws -> ModelVersion {
        guard let number = Int(visit.request["version"]),
            let version = try await hub.records.version(number, of: model.id)
        else {
            throw HubError(.notFound, "\(model.displayName) has no such version.")
        }
        return version
    }

    @Sendable
    private func notesPage(_ visit: ConsoleVisit, _ model: ModelRecord) async throws -> Response {
        struct Content {
            var name: String
            var path: String
            var number: String
            var notes: String
            var limit: Int
        }
        let version = try await version(in: visit, of: model)
        return .page(
            "version-notes",
            ConsoleChrome(title: "Notes on version \(version.number)", visit: visit),
            Content(
                name: model.displayName,
                path: Self.path(of: model),
                number: "\(version.number)",
                notes: version.notes,
                limit: ModelRules.longText
            )
        )
    }

    @Sendable
    private func changeNotes(_ visit: ConsoleVisit, _ model: ModelRecord) async throws -> Response {
        let notes = try await ConsoleForm(visit).text("notes")
        let number = try await version(in: visit, of: model).number
        return try await change(visit, thenTo: Self.path(of: model, .versions)) {
            _ = try await hub.setNotes(model.id, ofVersion: number, to: notes, by: visit.caller)
            return notes.isEmpty
                ? "Version \(number) no longer has notes." : "The notes on version \(number) are saved."
        }
    }
}
