import Foundation

/// A failure of the hub, in the Google API error model that clients know.
///
/// The message is one sentence for the caller. It never contains secrets or paths of the hub's machine.
package struct HubError: Error, Sendable, Hashable {
    /// The canonical code.
    package var code: RPCCode
    /// The failure and the next step.
    package var message: String

    /// The HTTP status, if it differs from the code's status.
    package var httpStatus: Int

    /// The time that the client should wait before it tries again; nil if waiting alone does not help.
    package var retryAfter: Duration?

    /// The cause, for the hub's log; nil if the message states it. It never contains secrets.
    var cause: String?

    /// The error's code in Remote Config, which Google's SDKs read at the beginning of a message.
    var configCode: String?

    /// The methods that the address has, as the field Allow lists them; nil unless the method was wrong.
    var allowedMethods: String?

    /// Whether a token, key or signature was wrong, which may have been a guess.
    var isWrongCredential = false

    /// Creates an error from a code and a message.
    package init(_ code: RPCCode, _ message: String, httpStatus: Int? = nil, retryAfter: Duration? = nil) {
        self.code = code
        self.message = message
        self.httpStatus = httpStatus ?? code.httpStatus
        self.retryAfter = retryAfter
    }

    /// The same error, for a wrong token, key or signature.
    var forWrongCredential: HubError {
        var error = self
        error.isWrongCredential = true
        return error
    }
}

extension HubError: CustomStringConvertible, LocalizedError {
    /// The message.
    package var description: String { message }

    /// The message.
    package var errorDescription: String? { message }
}

extension HubError {
    /// A name or number in a path that does not exist.
    static let entityNotFound = HubError(.notFound, "Requested entity was not found.")

    /// The message of Google's services for an unreadable filter, page token or id.
    static let invalidArgument = HubError(.invalidArgument, "Request contains an invalid argument.")
}

/// The canonical codes of google.rpc.Code, with their numbers.
package enum RPCCode: Int, Sendable, Hashable, Codable {
    case cancelled = 1
    case unknown = 2
    case invalidArgument = 3
    case deadlineExceeded = 4
    case notFound = 5
    case alreadyExists = 6
    case permissionDenied = 7
    case resourceExhausted = 8
    case failedPrecondition = 9
    case aborted = 10
    case outOfRange = 11
    case unimplemented = 12
    case `internal` = 13
    case unavailable = 14
    case dataLoss = 15
    case unauthenticated = 16

    /// The name in error bodies, for example `NOT_FOUND`.
    package var name: String {
        switch self {
        case .cancelled: "CANCELLED"
        case .unknown: "UNKNOWN"
        case .invalidArgument: "INVALID_ARGUMENT"
        case .deadlineExceeded: "DEADLINE_EXCEEDED"
        case .notFound: "NOT_FOUND"
        case .alreadyExists: "ALREADY_EXISTS"
        case .permissionDenied: "PERMISSION_DENIED"
        case .resourceExhausted: "RESOURCE_EXHAUSTED"
        case .failedPrecondition: "FAILED_PRECONDITION"
        case .aborted: "ABORTED"
        case .outOfRange: "OUT_OF_RANGE"
        case .unimplemented: "UNIMPLEMENTED"
        case .internal: "INTERNAL"
        case .unavailable: "UNAVAILABLE"
        case .dataLoss: "DATA_LOSS"
        case .unauthenticated: "UNAUTHENTICATED"
        }
    }

    /// The HTTP status for the code, as mapped by google.rpc.Code.
    package var httpStatus: Int {
        switch self {
        case .cancelled: 499
        case .invalidArgument, .failedPrecondition, .outOfRange: 400
        case .unauthenticated: 401
        case .permissionDenied: 403
        case .notFound: 404
        case .alreadyExists, .aborted: 409
        case .resourceExhausted: 429
        case .unimplemented: 501
        case .unavailable: 503
        case .deadlineExceeded: 504
        case .unknown, .internal, .dataLoss: 500
        }
    }
}
