/// What the facades themselves refuse, beyond the errors of the modules that they sit on.
public enum FacadeError: Error, Sendable, Hashable {
    /// A synchronous call would stop the main thread.
    case calledOnMainThread(function: String)
    /// A remote model is to be used that is not on this machine yet.
    case notDownloaded(model: String)
    /// The picture is of a type that the facades do not know.
    case unknownImage(type: String)
    /// No picture can be made of what an image of the system holds.
    case noPixels(reason: String)
    /// Inputs or options of an interpreter do not fit its model.
    case modelFormat(reason: String)
    /// A model has no input or output of a name.
    case noTensor(name: String, names: [String])
}

extension FacadeError: CustomStringConvertible {
    /// One sentence: what, where, and what to do.
    public var description: String {
        switch self {
        case .calledOnMainThread(let function):
            "\(function) was called on the main thread, which it would stop; call it on another one or use process(_:completion:)."
        case .notDownloaded(let model):
            "The model \"\(model)\" is not downloaded; call download(_:conditions:) of the model manager and wait until it has "
                + "succeeded."
        case .unknownImage(let type):
            "A picture of the type \(type) cannot be looked at; make a VisionImage of it."
        case .noPixels(let reason):
            "The picture has no pixels that can be read: \(reason); make it of another image."
        case .modelFormat(let reason):
            "The model cannot run: \(reason); correct the inputs or the options."
        case .noTensor(let name, let names):
            "The model has no tensor \"\(name)\" there; its names are \(names.joined(separator: ", "))."
        }
    }

    var code: StatusCode {
        switch self {
        case .calledOnMainThread, .notDownloaded: .failedPrecondition
        case .unknownImage, .noPixels, .modelFormat: .invalidArgument
        case .noTensor: .notFound
        }
    }
}
