/// What came of looking at a model's file.
public enum ModelVerdict: Sendable, Hashable {
    /// The runtime loads and runs it; what it wants and gives is said in JSON, as `sightline inspect` says it.
    case valid(inspection: String)
    /// It is a sound model that cannot be run here; its owner may publish it all the same, for runtimes that can.
    case unrunnable(reason: String)
    /// It is no sound model; the message goes into `state.validationError`.
    case invalid(message: String)
    /// It could not be looked at; the message says what the hub's operator must do.
    case unavailable(message: String)

    /// How many bytes a model's description may have.
    static let maximumInspection = 64 << 10
    /// How many characters a message may have. What a stranger's model is called may be part of it.
    static let maximumMessage = 2000

    /// The texts that are kept of it.
    var byteCount: Int {
        switch self {
        case .valid(let text), .unrunnable(let text), .invalid(let text), .unavailable(let text): text.utf8.count
        }
    }

    /// What the vendor's services say of bytes that are no model.
    static let notAModel = ModelVerdict.invalid(message: "Invalid flatbuffer format")
}

/// What looks at models before they may be published.
public protocol ModelValidator: Sendable {
    /// Looks at a file of a project; projects take turns. Never throws: what cannot be decided is `.unavailable`.
    func verdict(on file: BlobFile, of project: String) async -> ModelVerdict
    /// Whether models can be looked at, as far as is known: nil, or what the operator must do. Readiness depends on it, so that
    /// it does not wait behind models.
    func problem() async -> String?
}

/// A content and where to read it.
public struct BlobFile: Sendable, Hashable {
    /// Its SHA-256.
    public var hash: BlobHash
    /// A local path.
    public var path: String
}
