import Hummingbird
import ModelHubProtocol

/// The question that a form asks before apps get other labels.
extension Console {
    private struct LabelPage: Sendable {
        struct Field: Sendable {
            var name: String
            var value: String
        }

        var name: String
        var old: String
        var new: String
        var sentence: String
        var labels: LabelDifference?
        /// A sentence about labels that changed their place; nil if there are none.
        var moved: String?
        var fields: [Field]
        var path: String
        var action: String
        var back: String
    }

    /// The field of a form whose sender has seen the difference.
    private static let field = "labels"

    /// A page that says label by label what a form changes for apps, with the form once more.
    ///
    /// - Parameters:
    ///   - versions: The version that apps have, and the one that they get.
    ///   - action: The text of the button.
    ///   - back: The page that is left unchanged.
    /// - Returns: Nil if the labels are the same, or were shown before.
    func labelQuestion(
        _ visit: ConsoleVisit,
        _ form: ConsoleForm,
        of model: ModelRecord,
        _ versions: (old: Int?, new: Int),
        action: String,
        back: String
    ) async throws -> Response? {
        guard form[Self.field] != "seen",
            let found = try await hub.labelDifference(of: model.id, from: versions.old, to: versions.new)
        else { return nil }
        let moved = found.labels?.movedCount ?? 0
        let fields = form.fields.filter { ![ConsoleForm.tokenField, Self.field].contains($0.key) }
        return .page(
            "label-difference",
            ConsoleChrome(title: "Other labels", visit: visit),
            LabelPage(
                name: model.displayName,
                old: versions.old.map { "\($0)" } ?? "–",
                new: "\(versions.new)",
                sentence: found.sentence,
                labels: found.labels,
                moved: moved == 0
                    ? nil
                    : "\(moved == 1 ? "1 label has" : "\(moved) labels have") another place in the list, as apps that know labels by number notice.",
                fields: fields.sorted { $0.key < $1.key }.map { .init(name: $0.key, value: $0.value) },
                path: "/" + visit.request.path.joined(separator: "/"),
                action: action,
                back: back
            )
        )
    }
}
