import Foundation

/// The body of create and patch: a Model, whose read-only fields are ignored.
struct ModelInput: Decodable, Sendable {
    struct State: Decodable, Sendable {
        var published: Bool?
    }

    struct TFLiteModel: Decodable, Sendable {
        var gcsTfliteUri: String?
        var automlModel: String?
    }

    var displayName: String?
    var tags: [String]?
    var state: State?
    var tfliteModel: TFLiteModel?
}

/// The changes of a patch.
struct ModelPatch: Sendable {
    /// The change of a field.
    enum Change<Value: Sendable>: Sendable {
        case keep
        case set(Value)
    }

    /// The source of the file.
    enum FileInput: Sendable, Hashable {
        case none
        case uri(String)
        case autoML(String)
    }

    var displayName = Change<String>.keep
    var tags = Change<[String]>.keep
    var file = Change<FileInput>.keep
    var isPublished = Change<Bool>.keep

    /// Creates a patch without changes.
    init() {}

    /// Reads the changes in a body. Without a mask these are all its writable fields except the state of publication:
    /// the Python SDK sends that with every change, and must not undo a concurrent change of another client.
    ///
    /// - Parameter mask: The paths of `updateMask`, each in camel case or snake case, a leaf or its parent.
    init(_ input: ModelInput, mask: String?) throws(HubError) {
        let file: FileInput? = try input.tfliteModel.map { (model) throws(HubError) in
            switch (model.gcsTfliteUri, model.automlModel) {
            case (nil, nil): return FileInput.none
            case (let uri?, nil): return .uri(uri)
            case (nil, let name?): return .autoML(name)
            default: throw HubError(.invalidArgument, "A model has either gcsTfliteUri or automlModel, not both.")
            }
        }
        guard let mask, !mask.isEmpty else {
            if let name = input.displayName { displayName = .set(name) }
            if let newTags = input.tags { tags = .set(newTags) }
            if let file, file != .none { self.file = .set(file) }
            return
        }
        for path in mask.split(separator: ",") {
            switch path.trimmingCharacters(in: .whitespaces) {
            case "displayName", "display_name": displayName = .set(input.displayName ?? "")
            case "tags": tags = .set(input.tags ?? [])
            case "tfliteModel", "tflite_model", "tfliteModel.gcsTfliteUri", "tflite_model.gcs_tflite_uri",
                "tfliteModel.automlModel", "tflite_model.automl_model":
                self.file = .set(file ?? .none)
            case "state", "state.published": isPublished = .set(input.state?.published ?? false)
            default:
                throw HubError(
                    .invalidArgument,
                    "The update mask names \"\(path.prefix(60))\", which is not a writable field of a model; use displayName, tags, "
                        + "tfliteModel.gcsTfliteUri or state.published."
                )
            }
        }
    }
}

/// The rules for names and tags.
enum ModelRules {
    /// A letter, then letters, digits, underscores and hyphens; at most 32 characters, as in the Admin SDKs.
    static func check(displayName: String) throws(HubError) {
        let isValid =
            displayName.utf8.count <= 32 && displayName.utf8.first.map(isLetter) == true
            && displayName.utf8.allSatisfy(isWord)
        guard isValid else {
            throw HubError(
                .invalidArgument,
                displayName.isEmpty
                    ? "A model needs a display name; set displayName."
                    : "\"\(displayName.prefix(80))\" cannot be a model's display name; use up to 32 letters, digits, underscores and "
                        + "hyphens, beginning with a letter."
            )
        }
    }

    /// Letters, digits, underscores and hyphens; at most 32 characters each, and at most 64 tags.
    static func check(tags: [String]) throws(HubError) {
        guard tags.count <= 64 else {
            throw HubError(.invalidArgument, "A model has at most 64 tags, not \(tags.count).")
        }
        for tag in tags {
            guard isTag(tag) else {
                throw HubError(
                    .invalidArgument,
                    "\"\(tag.prefix(40))\" cannot be a tag; use up to 32 letters, digits, underscores and hyphens."
                )
            }
        }
    }

    /// Whether a text is a valid tag.
    static func isTag(_ text: String) -> Bool {
        (1...32).contains(text.utf8.count) && text.utf8.allSatisfy(isWord)
    }

    private static func isLetter(_ byte: UInt8) -> Bool { (65...90).contains(byte) || (97...122).contains(byte) }

    private static func isWord(_ byte: UInt8) -> Bool {
        isLetter(byte) || (48...57).contains(byte) || byte == 95 || byte == 45
    }
}
