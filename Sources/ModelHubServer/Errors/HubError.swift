import Foundation

/// Why the hub refuses or fails, in the terms of the Google API error model, which clients know.
///
/// The message is one sentence for the caller; it never holds secrets or paths of the hub's machine.
public struct HubError: Error, Sendable, Hashable {
    /// The canonical code.
    public var code: RPCCode
    /// What is wrong, and what to do about it.
    public var message: String

    /// The HTTP status, where it is another than the code's.
    public var httpStatus: Int

    /// How long the client should wait before it tries again; nil where waiting alone does not help.
    public var retryAfter: Duration?

    /// Whether a token, key or signature was wrong, which may have been a guess.
    var isWrongCredential = false

    /// An error of a kind with a message.
    public init(_ code: RPCCode, _ message: String, httpStatus: Int? = nil, retryAfter: Duration? = nil) {
        self.code = code
        self.message = message
        self.httpStatus = httpStatus ?? code.httpStatus
        self.retryAfter = retryAfter
    }

    /// The same error, for a token, key or signature that was wrong.
    var forWrongCredential: HubError {
        var error = self
        error.isWrongCredential = true
        return error
    }
}

extension HubError: CustomStringConvertible, LocalizedError {
    /// The message.
    public var description: String { message }

    /// The message.
    public var errorDescription: String? { message }
}

extension HubError {
    /// A name or number in a path that belongs to nothing.
    static let entityNotFound = HubError(.notFound, "Requested entity was not found.")

    /// What Google's services say of a filter, page token or id that they cannot read.
    static let invalidArgument = HubError(.invalidArgument, "Request contains an invalid argument.")
}

/// The canonical codes of google.rpc.Code, with their numbers.
public enum RPCCode: Int, Sendable, Hashable, Codable {
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
    public var name: String {
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

    /// The HTTP status that carries it, as google.rpc.Code maps them.
    public var httpStatus: Int {
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
