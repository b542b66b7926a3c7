import Foundation

/// A reason why a configuration cannot be fetched, or outcomes cannot be sent.
public enum RemoteConfigError: Error, Sendable, Hashable {
    /// After failures, the client does not contact the hub before this time.
    case throttled(until: Date)
    /// The hub rejects the API key, the project or the installation.
    case permissionDenied(reason: String)
    /// The hub cannot be reached.
    case unreachable(reason: String)
    /// The hub received too many requests or is failing at the moment.
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

    /// Translates the failure of a request.
    init(_ failure: HubClient.Failure) { self.init(failure.error) }

    init(_ error: DownloadError) {
        self =
            switch error {
            case .permissionDenied(_, let reason): .permissionDenied(reason: reason)
            case .failedPrecondition(_, let reason): .unreachable(reason: reason)
            case .resourceExhausted(_, let reason): .unavailable(reason: reason)
            case .invalidArgument(_, let reason): .invalidArgument(reason: reason)
            case .notFound(_, let place), .notDownloaded(_, let place):
                .permissionDenied(reason: "there is no configuration in \(place)")
            case .internalError(_, let reason), .wrongContent(_, let reason): .wrongAnswer(reason: reason)
            case .notEnoughSpace(let path): .fileAccess(path: path, reason: "the disk is full")
            case .fileAccess(let path, let reason): .fileAccess(path: path, reason: reason)
            case .emptyModelName: .invalidArgument(reason: "a name is empty")
            case .cancelled: .cancelled
            }
    }
}
