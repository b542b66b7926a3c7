import Foundation

/// The body of create and patch: a Model, of which the read-only fields are ignored.
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

/// What a patch changes.
struct ModelPatch: Sendable {
    /// What becomes of a field.
    enum Change<Value: Sendable>: Sendable {
        case keep
        case set(Value)
    }

    /// What is said of the file.
    enum FileInput: Sendable, Hashable {
        case none
        case uri(String)
        case autoML(String)
    }

    var displayName = Change<String>.keep
    var tags = Change<[String]>.keep
    var file = Change<FileInput>.keep
    var isPublished = Change<Bool>.keep

    /// A patch that changes nothing yet.
    init() {}

    /// What a body changes. Without a mask these are the writable fields that it has, except for the state of publication:
    /// the Python SDK echoes that with every change, and must not undo what another client did meanwhile.
    ///
    /// - Parameter mask: the paths of `updateMask`, each in camel or snake case, a leaf or its parent.
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
                    "The update mask names \"\(path.prefix(60))\", which is no writable field of a model; name displayName, tags, "
                        + "tfliteModel.gcsTfliteUri or state.published."
                )
            }
        }
    }
}

/// What names and tags may be.
enum ModelRules {
    /// A letter, then letters, digits, underscores and hyphens; 32 at most, as the Admin SDKs have it.
    static func check(displayName: String) throws(HubError) {
        let isValid =
            displayName.utf8.count <= 32 && displayName.utf8.first.map(isLetter) == true
            && displayName.utf8.allSatisfy(isWord)
        guard isValid else {
            throw HubError(
                .invalidArgument,
                displayName.isEmpty
                    ? "A model needs a display name; give it in displayName."
                    : "\"\(displayName.prefix(80))\" cannot be a model's display name; use up to 32 letters, digits, underscores and "
                        + "hyphens, beginning with a letter."
            )
        }
    }

    /// Letters, digits, underscores and hyphens; 32 at most in each, and 64 of them.
    static func check(tags: [String]) throws(HubError) {
        guard tags.count <= 64 else {
            throw HubError(.invalidArgument, "A model has at most 64 tags; found \(tags.count).")
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

    /// Whether a text may be a tag.
    static func isTag(_ text: String) -> Bool {
        (1...32).contains(text.utf8.count) && text.utf8.allSatisfy(isWord)
    }

    private static func isLetter(_ byte: UInt8) -> Bool { (65...90).contains(byte) || (97...122).contains(byte) }

    private static func isWord(_ byte: UInt8) -> Bool {
        isLetter(byte) || (48...57).contains(byte) || byte == 95 || byte == 45
    }
}
