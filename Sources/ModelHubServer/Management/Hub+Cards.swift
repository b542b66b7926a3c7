import Foundation
import ModelHubProtocol

extension Hub {
    /// Changes the description, license or author of a model.
    func changeCard(of id: Int64, _ change: ModelCardChange, by caller: Caller) async throws -> ModelRecord {
        try caller.require(.publisher)
        return try await self.change(id, by: caller, "model.card") { model, _, _ in
            change.apply(to: &model.card)
            try ModelRules.check(model.card)
            return nil
        }
    }

    /// Replaces the notes of a version; an empty text removes them.
    func setNotes(_ id: Int64, ofVersion number: Int, to notes: String, by caller: Caller) async throws -> ModelRecord {
        try caller.require(.publisher)
        try ModelRules.check(notes: notes)
        return try await change(id, by: caller, "model.notes") { model, versions, _ in
            var version = try versions.version(number, of: model)
            guard version.notes != notes else { return nil }
            version.notes = notes
            return version
        }
    }
}

extension ModelCard {
    /// Creates a card from the metadata in a stored inspection of a model.
    init(inspection json: String) {
        struct Inspection: Decodable {
            var metadata: [String: String]?
        }
        let metadata = (try? JSONDecoder().decode(Inspection.self, from: Data(json.utf8)))?.metadata ?? [:]
        func text(_ name: String, _ limit: Int) -> String {
            let text = (metadata[name] ?? "").trimmingCharacters(in: .whitespacesAndNewlines)
            return String(String.UnicodeScalarView(text.unicodeScalars.prefix(limit)))
        }
        self.init(
            description: text("description", ModelRules.longText),
            license: text("license", ModelRules.shortText),
            author: text("author", ModelRules.shortText)
        )
    }
}

extension ModelRules {
    /// The maximum number of characters of a description or of notes.
    static let longText = 4000
    /// The maximum number of characters of a license or an author.
    static let shortText = 200

    /// Checks the lengths of the texts.
    static func check(_ card: ModelCard) throws(HubError) {
        try check(card.description, "description", longText)
        try check(card.license, "license", shortText)
        try check(card.author, "author", shortText)
    }

    /// Checks the length of a version's notes.
    static func check(notes: String) throws(HubError) { try check(notes, "text of notes", longText) }

    private static func check(_ text: String, _ name: String, _ limit: Int) throws(HubError) {
        let count = text.unicodeScalars.count
        guard count > limit else { return }
        throw HubError(.invalidArgument, "A \(name) has at most \(limit) characters, not \(count); shorten it.")
    }
}
