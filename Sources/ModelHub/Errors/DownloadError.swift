import DurableFiles
import Foundation
import ModelHubProtocol

/// A reason why a model cannot be downloaded, installed or removed.
public enum DownloadError: Error, Sendable, Hashable {
    /// The hub has no published model with this name.
    case notFound(model: String, place: String)
    /// The hub has no published model with this name, or no version of it has the alias.
    case aliasNotFound(model: String, alias: ModelAlias, place: String)
    /// The model to delete is not downloaded.
    case notDownloaded(model: String, folder: String)
    /// The hub rejects the API key or the installation.
    case permissionDenied(model: String, reason: String)
    /// The hub cannot be reached, or the conditions forbid the current link.
    case failedPrecondition(model: String, reason: String)
    /// The hub received too many requests.
    case resourceExhausted(model: String, reason: String)
    /// The hub, or a proxy before it, is failing or restarting at the moment.
    case unavailable(model: String, reason: String)
    /// The disk is full.
    case notEnoughSpace(path: String)
    /// The hub rejects the request as invalid, or the name is not valid for a model.
    case invalidArgument(model: String, reason: String)
    /// The name is empty.
    case emptyModelName
    /// The received bytes are not the file that the hub described.
    case wrongContent(model: String, reason: String)
    /// The app trusts keys, and the owner of the model did not sign the hub's version.
    case untrusted(model: String, problem: ManifestProblem)
    /// The folder of models cannot be read or written.
    case fileAccess(path: String, reason: String)
    /// The hub sent an invalid response.
    case internalError(model: String, reason: String)
    /// The caller canceled the download.
    case cancelled(model: String)
}

extension DownloadError: CustomStringConvertible, LocalizedError {
    /// One sentence: the failure, its place, and the next step.
    public var description: String {
        switch self {
        case .notFound(let model, let place):
            "There is no model \"\(model)\" in \(place); check the name, and whether the model is published."
        case .aliasNotFound(let model, let alias, let place):
            "There is no version \"\(alias)\" of a model \"\(model)\" in \(place); check the name and the alias, and whether the model is "
                + "published."
        case .notDownloaded(let model, let folder):
            "The model \"\(model)\" is not downloaded in \(folder); listDownloadedModels() returns the downloaded models."
        case .permissionDenied(let model, let reason):
            "The model \"\(model)\" may not be downloaded (\(reason)); check the API key and the project of the configuration."
        case .failedPrecondition(let model, let reason):
            "The model \"\(model)\" cannot be downloaded now: \(reason)."
        case .resourceExhausted(let model, let reason), .unavailable(let model, let reason):
            "The hub cannot deliver the model \"\(model)\" at the moment (\(reason)); try again later."
        case .notEnoughSpace(let path):
            "The disk is full and \(path) cannot be written; free some space and try again."
        case .invalidArgument(let model, let reason):
            "The request for the model \"\(model)\" is not valid: \(reason); correct the request."
        case .emptyModelName:
            "The name of the model is empty; use the name under which the model was published."
        case .wrongContent(let model, let reason):
            "The download of the model \"\(model)\" is damaged: \(reason); nothing was installed, try again."
        case .untrusted(let model, let problem):
            "The model \"\(model)\" is not trusted and was not installed: \(problem)."
        case .fileAccess(let path, let reason):
            "\(path) cannot be used (\(reason)); check the permissions of the folder of models."
        case .internalError(let model, let reason):
            "The hub's response for the model \"\(model)\" is not valid (\(reason)); check the hub's address and its log."
        case .cancelled(let model):
            "The download of the model \"\(model)\" was canceled; start it again to resume it."
        }
    }

    /// The same sentence as `description`.
    public var errorDescription: String? { description }

    /// The error for a failed operation on a file.
    init(_ error: DurableFileError) {
        self =
            error.isForSpace
            ? .notEnoughSpace(path: error.path) : .fileAccess(path: error.path, reason: error.reason)
    }

    /// Maps a failure of a request for a model.
    ///
    /// - Parameter place: The project and the hub.
    init(_ failure: HubFailure, of remote: RemoteModel, place: String) {
        let (model, reason) = (remote.name, failure.description)
        self =
            switch failure {
            case .unreachable, .unusable: .failedPrecondition(model: model, reason: reason)
            case .refused(let status, _, _):
                switch HubFailure.refusal(status) {
                case .invalid: .invalidArgument(model: model, reason: reason)
                case .denied: .permissionDenied(model: model, reason: reason)
                case .missing where remote.alias != .production:
                    .aliasNotFound(model: model, alias: remote.alias, place: place)
                case .missing: .notFound(model: model, place: place)
                case .limited: .resourceExhausted(model: model, reason: reason)
                case .unavailable: .unavailable(model: model, reason: reason)
                case .other: .internalError(model: model, reason: reason)
                }
            case .invalidReply: .internalError(model: model, reason: reason)
            case .file(let error), .transfer(.file(let error)): DownloadError(error)
            case .wrongContent, .transfer: .wrongContent(model: model, reason: reason)
            case .untrusted(let problem): .untrusted(model: model, problem: problem)
            case .cancelled: .cancelled(model: model)
            }
    }
}
