/// Errors of the facades themselves, in addition to the errors of the underlying modules.
public enum FacadeError: Error, Sendable, Hashable {
    /// A synchronous call would block the main thread.
    case calledOnMainThread(function: String)
    /// The remote model is not downloaded yet.
    case notDownloaded(model: String)
    /// A model that ML Kit has built in is neither among the program's resources nor installed.
    case notInstalled(model: String)
    /// A model that ML Kit has built in is not among the program's resources.
    case noResource(model: String)
    /// The model finds objects, but gives no such points.
    case noPoints(model: String, point: String)
    /// The facades do not support this type of picture.
    case unknownImage(type: String)
    /// The image of the system cannot be converted to a picture.
    case noPixels(reason: String)
    /// The system has no memory for a buffer of pixels.
    case noBuffer(status: Int32)
    /// The inputs or options of an interpreter do not fit its model.
    case modelFormat(reason: String)
    /// The model has no input or output with this name.
    case noTensor(name: String, names: [String])
}

extension FacadeError: CustomStringConvertible {
    /// One sentence: the failure, its place, and the next step.
    public var description: String {
        switch self {
        case .calledOnMainThread(let function):
            "\(function) was called on the main thread and would block it; call it on another thread, or use process(_:completion:)."
        case .notDownloaded(let model):
            "The model \"\(model)\" is not downloaded; call download(_:conditions:) of the model manager and wait until it has "
                + "succeeded."
        case .notInstalled(let model):
            "The model \(model) is not there; install it with `sightline models install \(model)`, add \(model).tflite to the program's "
                + "resources, or set the localModel of the options."
        case .noResource(let model):
            "The model \(model) is not there; add \(model).tflite to the program's resources, or set the localModel of the options."
        case .noPoints(let model, let point):
            "\(model) gives no point \(point) of its objects; use a model for poses or faces as the localModel of the options."
        case .unknownImage(let type):
            "A picture of the type \(type) is not supported; convert it to a VisionImage."
        case .noPixels(let reason):
            "The picture has no readable pixels: \(reason); create it from another image."
        case .noBuffer(let status):
            "Core Video cannot make a buffer for the mask (status \(status)); ask for a mask of the model's size, or free memory."
        case .modelFormat(let reason):
            "The model cannot run: \(reason); correct the inputs or the options."
        case .noTensor(let name, let names):
            "The model has no tensor \"\(name)\" on this side; use one of \(names.joined(separator: ", "))."
        }
    }

    var code: StatusCode {
        switch self {
        case .calledOnMainThread, .notDownloaded: .failedPrecondition
        case .unknownImage, .noPixels, .modelFormat, .noPoints: .invalidArgument
        case .noTensor, .notInstalled, .noResource: .notFound
        case .noBuffer: .resourceExhausted
        }
    }
}
