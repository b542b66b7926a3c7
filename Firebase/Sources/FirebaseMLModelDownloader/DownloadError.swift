import Foundation
import ModelHub
import ModelHubApp

/// Why a model cannot be downloaded.
public enum DownloadError: Error, Equatable, Sendable {
    /// The hub has no published model of that name.
    case notFound
    /// The hub refuses the API key or the installation.
    case permissionDenied
    /// The hub cannot be reached, or not over this link.
    case failedPrecondition
    /// The hub has had too many requests.
    case resourceExhausted
    /// The disk is full.
    case notEnoughSpace
    /// The name cannot be one of a model, or the hub takes the request for a mistake.
    case invalidArgument
    /// The name is empty.
    case emptyModelName
    /// Anything else: the app is not configured, the file that came is not the one that the hub speaks of, or the hub fails.
    case internalError(description: String)
}

/// Why a model that was downloaded cannot be listed or removed.
public enum DownloadedModelError: Error, Equatable, Sendable {
    /// No model of that name is downloaded.
    case notFound
    /// The folder of models cannot be read or written.
    case fileIOError(description: String)
    /// Anything else: the app is not configured, or the name cannot be one of a model.
    case internalError(description: String)
}

extension DownloadError: CustomStringConvertible, LocalizedError {
    /// One sentence: what, and what to do.
    public var description: String {
        switch self {
        case .notFound: "The hub has no such model; check the name and that it is published."
        case .permissionDenied: "The model may not be downloaded; check API_KEY and PROJECT_ID of the app's options."
        case .failedPrecondition:
            "The hub cannot be reached over a link that the conditions allow; check its address and the link."
        case .resourceExhausted: "The hub has had too many requests; try again later."
        case .notEnoughSpace: "The disk is full; make room and try again."
        case .invalidArgument: "The hub cannot be asked for this; check the model's name and the app's options."
        case .emptyModelName: "The name of the model is empty; give the name under which it was published."
        case .internalError(let description): description
        }
    }

    /// The same sentence.
    public var errorDescription: String? { description }

    init(_ error: ModelHub.DownloadError) {
        self =
            switch error {
            case .notFound, .notDownloaded: .notFound
            case .permissionDenied: .permissionDenied
            case .failedPrecondition: .failedPrecondition
            case .resourceExhausted: .resourceExhausted
            case .notEnoughSpace: .notEnoughSpace
            case .invalidArgument: .invalidArgument
            case .emptyModelName: .emptyModelName
            case .wrongContent, .fileAccess, .internalError, .cancelled: .internalError(description: error.description)
            }
    }

    init(_ error: HubAppError) { self = .internalError(description: error.description) }
}

extension DownloadedModelError: CustomStringConvertible, LocalizedError {
    /// One sentence: what, and what to do.
    public var description: String {
        switch self {
        case .notFound: "No such model is downloaded; listDownloadedModels() has those that are."
        case .fileIOError(let description), .internalError(let description): description
        }
    }

    /// The same sentence.
    public var errorDescription: String? { description }

    init(_ error: ModelHub.DownloadError) {
        self =
            switch error {
            case .notFound, .notDownloaded: .notFound
            case .fileAccess, .notEnoughSpace: .fileIOError(description: error.description)
            default: .internalError(description: error.description)
            }
    }

    init(_ error: HubAppError) { self = .internalError(description: error.description) }
}
