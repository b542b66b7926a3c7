import Foundation

/// Why a configuration cannot be fetched, or outcomes cannot be sent.
public enum RemoteConfigError: Error, Sendable, Hashable {
    /// After failures the hub is not asked again before this time.
    case throttled(until: Date)
    /// The hub refuses the API key, the project or the installation.
    case permissionDenied(reason: String)
    /// The hub cannot be reached.
    case unreachable(reason: String)
    /// The hub has had too many requests, or fails at the moment.
    case unavailable(reason: String)
    /// The hub takes what is sent for a mistake.
    case invalidArgument(reason: String)
    /// The hub answers with what makes no sense.
    case wrongAnswer(reason: String)
    /// What is kept on the disk cannot be read or written.
    case fileAccess(path: String, reason: String)
    /// The one who asked no longer wants it.
    case cancelled
}

extension RemoteConfigError: CustomStringConvertible, LocalizedError {
    /// One sentence: what, where, and what to do.
    public var description: String {
        switch self {
        case .throttled(let date):
            "The hub is not asked again before \(date.formatted(.iso8601)), since it failed before; what was fetched stays in use."
        case .permissionDenied(let reason):
            "The hub does not let this app in (\(reason)); check the API key and the project of the configuration."
        case .unreachable(let reason): "The hub is not to be reached: \(reason)."
        case .unavailable(let reason): "The hub does not answer at the moment (\(reason)); try again later."
        case .invalidArgument(let reason): "The hub refuses what it is sent (\(reason)); correct it."
        case .wrongAnswer(let reason): "The hub's answer is of no use (\(reason)); check the hub's address and its log."
        case .fileAccess(let path, let reason):
            "\(path) cannot be used (\(reason)); check the folder's permissions and the room on the disk."
        case .cancelled: "The request was cancelled; make it again if it is wanted."
        }
    }

    /// The same sentence.
    public var errorDescription: String? { description }

    /// What a failure of a request means here.
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
