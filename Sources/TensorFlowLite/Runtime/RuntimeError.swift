import Foundation

/// A reason why the inference runtime cannot be used.
public enum RuntimeError: Error, Sendable, Hashable {
    /// The library is not at any of the searched paths.
    case libraryNotFound(searched: [String])
    /// The file exists but could not be opened as a library.
    case libraryNotLoadable(path: String, reason: String)
    /// The library lacks a required function.
    case missingFunction(path: String, name: String)
    /// The library is older than the oldest supported version, because it lacks the function `missing`.
    case tooOld(path: String, missing: String)
    /// The runtime returned an error status.
    case callFailed(operation: String, status: Int, reason: String)
}

extension RuntimeError: CustomStringConvertible, LocalizedError {
    /// One sentence: the failure, its place, and the next step.
    public var description: String {
        switch self {
        case .libraryNotFound(let searched):
            "The LiteRT library was not found (searched: \(Self.places(searched))): \(Self.remedy)."
        case .libraryNotLoadable(let path, let reason):
            "The LiteRT library \(path) could not be opened (\(reason)): \(Self.remedy)."
        case .missingFunction(let path, let name):
            "The LiteRT library \(path) has no function \(name): \(Self.remedy)."
        case .tooOld(let path, let missing):
            "The LiteRT library \(path) is older than 2.1.6, because it has no function \(missing): \(Self.remedy)."
        case .callFailed(let operation, let status, let reason):
            "The runtime could not \(operation) (status \(status): \(reason)): "
                + "check the model with `sightline inspect`."
        }
    }

    /// The first places; a list of all would hide the next step.
    private static func places(_ searched: [String]) -> String {
        let shown = searched.prefix(2).joined(separator: ", ")
        return searched.count > 2 ? "\(shown) and \(searched.count - 2) other places" : shown
    }

    private static var remedy: String { RuntimeSearch.ofProcess.remedy }

    /// The same sentence as `description`.
    public var errorDescription: String? { description }
}

/// The meanings of the runtime's status numbers. Source: enum LiteRtStatus of litert/c/litert_common.h.
func runtimeStatusText(_ status: LiteRtStatusCode) -> String {
    switch status {
    case 1: "invalid argument"
    case 2: "out of memory"
    case 3: "the runtime failed"
    case 4: "an input is missing"
    case 5: "unsupported"
    case 6: "not found"
    case 8: "wrong version"
    case 500: "file error"
    case 501: "the file is not a valid FlatBuffer"
    case 502: "a library could not be loaded"
    case 504: "compilation failed"
    case 1000: "an index is out of bounds"
    case 1001: "an invalid type"
    case 1002: "an invalid graph"
    default: "unknown reason"
    }
}
