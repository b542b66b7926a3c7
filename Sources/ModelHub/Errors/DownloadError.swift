import Foundation

/// Why a model cannot be downloaded, installed or removed.
public enum DownloadError: Error, Sendable, Hashable {
    /// The hub has no published model of that name.
    case notFound(model: String, place: String)
    /// No model of that name is downloaded that could be deleted.
    case notDownloaded(model: String, folder: String)
    /// The hub refuses the API key or the installation.
    case permissionDenied(model: String, reason: String)
    /// The hub cannot be reached, or not over this link.
    case failedPrecondition(model: String, reason: String)
    /// The hub has had too many requests.
    case resourceExhausted(model: String, reason: String)
    /// The disk is full.
    case notEnoughSpace(path: String)
    /// The hub takes the request for a mistake, or the name cannot be one of a model.
    case invalidArgument(model: String, reason: String)
    /// The name is empty.
    case emptyModelName
    /// What came is not the file that the hub speaks of.
    case wrongContent(model: String, reason: String)
    /// The folder of models cannot be read or written.
    case fileAccess(path: String, reason: String)
    /// The hub answers with what makes no sense, or fails.
    case internalError(model: String, reason: String)
    /// The one who asked no longer wants it.
    case cancelled(model: String)
}

extension DownloadError: CustomStringConvertible, LocalizedError {
    /// One sentence: what, where, and what to do.
    public var description: String {
        switch self {
        case .notFound(let model, let place):
            "There is no model \"\(model)\" in \(place); check the name and that it is published."
        case .notDownloaded(let model, let folder):
            "No model \"\(model)\" is downloaded in \(folder); listDownloadedModels() gives the names of those that are."
        case .permissionDenied(let model, let reason):
            "The model \"\(model)\" may not be downloaded (\(reason)); check the API key and the project of the configuration."
        case .failedPrecondition(let model, let reason):
            "The model \"\(model)\" cannot be downloaded now: \(reason)."
        case .resourceExhausted(let model, let reason):
            "The hub does not give out the model \"\(model)\" at the moment (\(reason)); try again later."
        case .notEnoughSpace(let path):
            "The disk is full, so that \(path) cannot be written; make room and try again."
        case .invalidArgument(let model, let reason):
            "The model \"\(model)\" cannot be asked for: \(reason); correct the request."
        case .emptyModelName:
            "The name of the model to be downloaded is empty; give the name under which it was published."
        case .wrongContent(let model, let reason):
            "What came for the model \"\(model)\" is damaged: \(reason); nothing was installed, try again."
        case .fileAccess(let path, let reason):
            "\(path) cannot be used (\(reason)); check the permissions of the folder of models."
        case .internalError(let model, let reason):
            "The hub's answer for the model \"\(model)\" is of no use (\(reason)); check the hub's address and its log."
        case .cancelled(let model):
            "The download of the model \"\(model)\" was cancelled; start it again to go on where it stopped."
        }
    }

    /// The same sentence.
    public var errorDescription: String? { description }

    /// What a failed system call means.
    static func system(_ code: Int32, path: String) -> DownloadError {
        switch code {
        case ENOSPC, EDQUOT, EFBIG: .notEnoughSpace(path: path)
        default: .fileAccess(path: path, reason: String(cString: strerror(code)))
        }
    }
}
