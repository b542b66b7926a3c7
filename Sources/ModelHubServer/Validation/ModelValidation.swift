/// The result of validating a model's file.
package enum ModelValidation: Sendable, Hashable {
    /// The runtime loads and runs the model; the JSON describes it in the format of `sightline inspect`.
    case valid(inspection: String)
    /// The model is sound but cannot be run here. Its owner may publish it for runtimes that can run it.
    case unrunnable(reason: String)
    /// The file is not a sound model; the message goes into `state.validationError`.
    case invalid(message: String)
    /// The file could not be validated; the message gives the hub's operator the next step.
    case unavailable(message: String)

    /// The maximum size of a model's description in bytes.
    static let maximumInspection = 64 << 10
    /// The maximum size of all names of labels in a model's description in bytes.
    static let maximumLabels = 32 << 10
    /// The maximum number of characters in a message, which may contain the name of an untrusted model.
    static let maximumMessage = 2000

    /// The size of the stored texts.
    var byteCount: Int {
        switch self {
        case .valid(let text), .unrunnable(let text), .invalid(let text), .unavailable(let text): text.utf8.count
        }
    }

    /// The message of Google's services for bytes that are not a model.
    static let notAModel = ModelValidation.invalid(message: "Invalid flatbuffer format")
}

/// Validates models before they may be published.
package protocol ModelValidator: Sendable {
    /// Validates a file of a project; projects take turns. Never throws: if the validation is impossible, the result is
    /// `.unavailable`.
    func validation(of file: BlobFile, for project: String) async -> ModelValidation
    /// Nil if models can be validated, as far as is known; otherwise the next step for the operator. Readiness depends
    /// on it, so it does not wait for other validations.
    func problem() async -> String?
}

/// A stored file and its path.
package struct BlobFile: Sendable, Hashable {
    /// Its SHA-256.
    package var hash: BlobHash
    /// A local path.
    package var path: String
}
