import Foundation

/// The labeling interface of a project of Label Studio: the tags that a picture's objects and labels belong to.
///
/// Source: the tags Image, RectangleLabels, Label, Choices and Choice in Label Studio's documentation, and the attribute
/// `predicted_values`, by which its example back ends translate the labels of models.
struct LabelingInterface: Sendable {
    /// A tag with names for a picture or its parts.
    struct Control: Sendable {
        /// The tag's name, `from_name` in results.
        let name: String
        /// The picture's name, `to_name` in results.
        let picture: String
        /// The name of the picture's address in a task's data.
        let dataKey: String
        /// The names of the project by the model's labels, in lowercase; nil if the project takes any.
        let names: [String: String]?
        /// Whether a picture may have several of the names.
        let takesSeveral: Bool

        /// The project's name for a label of a model; nil if it has none.
        func name(for label: String) -> String? {
            guard let names else { return label }
            return names[label.lowercased()]
        }
    }

    /// The tag for boxes with names.
    let boxes: Control?
    /// The tag for names of whole pictures.
    let choices: Control?

    /// The largest interface in bytes.
    private static let limit = 1 << 20

    /// Reads an interface.
    ///
    /// - Parameter document: the XML of the project's labeling interface.
    /// - Throws: ``AnswerError`` if it is not well-formed or has no tag for boxes or names of a picture.
    init(_ document: String) throws(AnswerError) {
        guard document.utf8.count <= Self.limit else {
            throw AnswerError(.contentTooLarge, "The labeling interface has more than \(Self.limit) bytes.")
        }
        let tags = try MarkupReader.tags(in: document)
        var pictures: [String: String] = [:]
        for tag in tags where tag.name.lowercased() == "image" {
            guard let name = tag.attributes["name"], let value = tag.attributes["value"], value.first == "$" else {
                continue
            }
            pictures[name] = String(value.dropFirst().prefix { $0 != "$" })
        }
        boxes = Self.control("rectanglelabels", of: "label", in: tags, pictures)
        choices = Self.control("choices", of: "choice", in: tags, pictures)
        guard boxes != nil || choices != nil else {
            throw .invalid(
                "The labeling interface has neither RectangleLabels nor Choices for an Image; add one of them."
            )
        }
    }

    /// The first tag of a kind that belongs to a picture.
    private static func control(
        _ kind: String,
        of part: String,
        in tags: [MarkupReader.Tag],
        _ pictures: [String: String]
    ) -> Control? {
        for (index, tag) in tags.enumerated() where tag.name.lowercased() == kind {
            guard let name = tag.attributes["name"], let picture = tag.attributes["toName"], let key = pictures[picture]
            else { continue }
            let parts = tags.filter { $0.name.lowercased() == part && $0.parents.contains(index) }
            return Control(
                name: name,
                picture: picture,
                dataKey: key,
                names: parts.isEmpty ? nil : names(of: parts),
                takesSeveral: tag.attributes["choice"] == "multiple"
            )
        }
        return nil
    }

    /// The names by which results know the tags, by all texts that denote them. A tag's own name takes precedence over the predicted values of
    /// another.
    private static func names(of parts: [MarkupReader.Tag]) -> [String: String] {
        var names: [String: String] = [:]
        func add(_ text: String, _ name: String) {
            let key = text.trimmingCharacters(in: .whitespacesAndNewlines).lowercased()
            if !key.isEmpty, names[key] == nil { names[key] = name }
        }
        for part in parts {
            guard let value = part.attributes["value"] else { continue }
            add(value, part.attributes["alias"] ?? value)
        }
        for part in parts {
            guard let value = part.attributes["value"] else { continue }
            let name = part.attributes["alias"] ?? value
            add(name, name)
            for text in (part.attributes["predicted_values"] ?? "").split(separator: ",") { add(String(text), name) }
        }
        return names
    }
}
