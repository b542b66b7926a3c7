import Foundation
import ModelHub
import ModelHubApp

/// A reason why a model cannot be downloaded.
public enum DownloadError: Error, Equatable, Sendable {
    /// The hub has no published model with this name.
    case notFound
    /// The hub rejects the API key or the installation.
    case permissionDenied
    /// The hub cannot be reached, or the conditions forbid the current link.
    case failedPrecondition
    /// The hub received too many requests.
    case resourceExhausted
    /// The disk is full.
    case notEnoughSpace
    /// The name is not valid for a model, or the hub rejects the request as invalid.
    case invalidArgument
    /// The name is empty.
    case emptyModelName
    /// Any other failure: the app is not configured, the received file differs from the hub's description, or the hub
    /// fails.
    case internalError(description: String)
}

/// A reason why downloaded models cannot be listed or removed.
public enum DownloadedModelError: Error, Equatable, Sendable {
    /// The model is not downloaded.
    case notFound
    /// The folder of models cannot be read or written.
    case fileIOError(description: String)
    /// Any other failure: the app is not configured, or the name is not valid for a model.
    case internalError(description: String)
}

extension DownloadError: CustomStringConvertible, LocalizedError {
    /// One sentence: the failure and the next step.
    public var description: String {
        switch self {
        case .notFound: "The hub has no such model; check the name, and whether the model is published."
        case .permissionDenied: "The model may not be downloaded; check API_KEY and PROJECT_ID of the app's options."
        case .failedPrecondition:
            "The hub cannot be reached over a link that the conditions allow; check its address and the link."
        case .resourceExhausted: "The hub received too many requests; try again later."
        case .notEnoughSpace: "The disk is full; free some space and try again."
        case .invalidArgument: "The request is not valid; check the model's name and the app's options."
        case .emptyModelName: "The name of the model is empty; use the name under which the model was published."
        case .internalError(let description): description
        }
    }

    /// The same sentence as `description`.
    public var errorDescription: String? { description }

    init(_ error: ModelHub.DownloadError) {
        self =
            switch error {
            case .notFound, .aliasNotFound, .notDownloaded: .notFound
            case .permissionDenied: .permissionDenied
            case .failedPrecondition: .failedPrecondition
            case .resourceExhausted: .resourceExhausted
            case .notEnoughSpace: .notEnoughSpace
            case .invalidArgument: .invalidArgument
            case .emptyModelName: .emptyModelName
            // Google's downloader reports every other status as an internal error.
            case .unavailable, .wrongContent, .untrusted, .fileAccess, .internalError, .cancelled:
                .internalError(description: error.description)
            }
    }

    init(_ error: HubAppError) { self = .internalError(description: error.description) }
}

extension DownloadedModelError: CustomStringConvertible, LocalizedError {
    /// One sentence: the failure and the next step.
    public var description: String {
        switch self {
        case .notFound: "The model is not downloaded; listDownloadedModels() returns the downloaded models."
        case .fileIOError(let description), .internalError(let description): description
        }
    }

    /// The same sentence as `description`.
    public var errorDescription: String? { description }

    init(_ error: ModelHub.DownloadError) {
        self =
            switch error {
            case .notFound, .aliasNotFound, .notDownloaded: .notFound
            case .fileAccess, .notEnoughSpace: .fileIOError(description: error.description)
            default: .internalError(description: error.description)
            }
    }

    init(_ error: HubAppError) { self = .internalError(description: error.description) }
}
