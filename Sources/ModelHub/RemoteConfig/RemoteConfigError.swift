import DurableFiles
import Foundation
import ModelHubProtocol

/// A reason why a configuration cannot be fetched, or outcomes cannot be sent.
public enum RemoteConfigError: Error, Sendable, Hashable {
    /// After failures, the client does not contact the hub before this time.
    case throttled(until: Date)
    /// The hub rejects the API key, the project or the installation.
    case permissionDenied(reason: String)
    /// The hub cannot be reached.
    case unreachable(reason: String)
    /// The hub received too many requests, is failing, or has no room at the moment.
    case unavailable(reason: String)
    /// The hub rejects the request as invalid.
    case invalidArgument(reason: String)
    /// The hub sent an invalid response.
    case wrongAnswer(reason: String)
    /// The stored state cannot be read or written.
    case fileAccess(path: String, reason: String)
    /// The caller canceled the request.
    case cancelled
}

extension RemoteConfigError: CustomStringConvertible, LocalizedError {
    /// One sentence: the failure, its place, and the next step.
    public var description: String {
        switch self {
        case .throttled(let date):
            "The hub failed, so the next request is allowed at \(date.formatted(.iso8601)); the fetched values stay in use."
        case .permissionDenied(let reason):
            "The hub denied access to this app (\(reason)); check the API key and the project of the configuration."
        case .unreachable(let reason): "The hub cannot be reached: \(reason)."
        case .unavailable(let reason): "The hub does not respond at the moment (\(reason)); try again later."
        case .invalidArgument(let reason): "The hub rejected the request (\(reason)); correct it."
        case .wrongAnswer(let reason):
            "The hub's response is not valid (\(reason)); check the hub's address and its log."
        case .fileAccess(let path, let reason):
            "\(path) cannot be used (\(reason)); check the folder's permissions and the free space on the disk."
        case .cancelled: "The request was canceled; repeat it if it is still needed."
        }
    }

    /// The same sentence as `description`.
    public var errorDescription: String? { description }

    /// The error for a failed operation on a file.
    init(_ error: DurableFileError) {
        self = .fileAccess(path: error.path, reason: error.isForSpace ? "the disk is full" : error.reason)
    }

    /// Maps a failure of a request for a configuration or with outcomes.
    ///
    /// - Parameter place: The project and the hub.
    init(_ failure: HubFailure, place: String) {
        let reason = failure.description
        self =
            switch failure {
            case .unreachable, .unusable: .unreachable(reason: reason)
            case .refused(let status, _, _):
                switch HubFailure.refusal(status) {
                case .invalid: .invalidArgument(reason: reason)
                case .denied: .permissionDenied(reason: reason)
                case .missing: .permissionDenied(reason: "there is no configuration in \(place)")
                case .limited, .unavailable: .unavailable(reason: reason)
                case .other: .wrongAnswer(reason: reason)
                }
            case .invalidReply, .wrongContent, .untrusted: .wrongAnswer(reason: reason)
            case .file(let error), .transfer(.file(let error)): RemoteConfigError(error)
            case .transfer: .wrongAnswer(reason: reason)
            case .cancelled: .cancelled
            }
    }
}
