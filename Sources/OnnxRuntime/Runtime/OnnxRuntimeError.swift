import Foundation

/// A reason why ONNX Runtime cannot be used.
package enum OnnxRuntimeError: Error, Sendable, Hashable {
    /// The library is not at any of the searched paths.
    case libraryNotFound(searched: [String], remedy: String)
    /// The file exists but could not be opened as a library, or is another library.
    case libraryNotLoadable(path: String, reason: String, remedy: String)
    /// The library is older than the oldest supported version.
    case tooOld(path: String, version: String, remedy: String)
    /// The library could not do something, for its own reason.
    case callFailed(operation: String, reason: String)
}

extension OnnxRuntimeError: CustomStringConvertible, LocalizedError {
    /// One sentence: the failure, its place, and the next step.
    package var description: String {
        switch self {
        case .libraryNotFound(let searched, let remedy):
            "The ONNX Runtime library, which .onnx models need, was not found (searched: \(Self.places(searched))): \(remedy)."
        case .libraryNotLoadable(let path, let reason, let remedy):
            "The ONNX Runtime library \(path) could not be opened (\(reason)): \(remedy)."
        case .tooOld(let path, let version, let remedy):
            "The ONNX Runtime library \(path) has the version \(version), which is older than 1.18: \(remedy)."
        case .callFailed(let operation, let reason):
            "ONNX Runtime could not \(operation) (\(reason)): check the model with `sightline inspect`."
        }
    }

    /// The first places; a list of all would hide the next step.
    private static func places(_ searched: [String]) -> String {
        let shown = searched.prefix(2).joined(separator: ", ")
        return searched.count > 2 ? "\(shown) and \(searched.count - 2) other places" : shown
    }

    /// The same sentence as `description`.
    package var errorDescription: String? { description }
}
