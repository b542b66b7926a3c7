import Foundation
import Hummingbird
import NIOCore
import NIOHTTP1

/// The reason why a server refuses a request before, or while, it reads it. Each server answers in its own format.
package enum RequestError: Error, Sendable, Hashable {
    /// An escape is malformed, a text is not UTF-8 or contains a NUL, or a query or form has too many fields.
    case malformed
    /// The path and the query together have more bytes than the limit.
    case targetTooLong(limit: Int)
    /// The path has empty parts or unnecessary escapes, or too many parts.
    case unknownAddress
    /// The request has no Host header, or several.
    case ambiguousHost
    /// The Host header has a name that is not one of this machine's.
    case otherName(String)
    /// A page of another site sends the request through a browser.
    case otherSite
    /// The client has sent too many requests, or too many of the named things.
    case tooMany(_ things: String, wait: Duration)
    /// The body has more bytes than the limit.
    case tooLarge(limit: Int)
    /// The body arrives too slowly.
    case tooSlow
    /// The body is damaged gzip, or inflates to more bytes than the limit.
    case invalidGzip(limit: Int)
    /// The body is not the expected JSON.
    case invalidJSON
    /// The body is not a form in multipart/form-data.
    case malformedForm
    /// The body is not valid HTTP, or incomplete.
    case incompleteBody
    /// The connection closed, or the server stops. Nothing failed.
    case interrupted

    /// The reason behind an error of the network; nil for other errors.
    package init?(_ error: any Error) {
        switch error {
        case let error as RequestError: self = error
        case is HTTPParserError: self = .incompleteBody
        case is CancellationError, is ChannelError, is NIOAsyncWriterError: self = .interrupted
        case let error as IOError where [ECONNRESET, EPIPE, ENOTCONN, ETIMEDOUT].contains(error.errnoCode):
            self = .interrupted
        default: return nil
        }
    }

    /// The status of the response.
    package var status: HTTPResponse.Status {
        switch self {
        case .malformed, .targetTooLong, .ambiguousHost, .invalidGzip, .invalidJSON, .malformedForm, .incompleteBody:
            .badRequest
        case .otherName, .otherSite: .forbidden
        case .unknownAddress: .notFound
        case .tooMany: .tooManyRequests
        case .tooLarge: .contentTooLarge
        case .tooSlow: .requestTimeout
        case .interrupted: .serviceUnavailable
        }
    }

    /// The time that the client should wait before it tries again; nil if waiting alone does not help.
    package var retryAfter: Duration? {
        switch self {
        case .tooMany(_, let wait): wait
        case .interrupted: .seconds(1)
        default: nil
        }
    }
}

extension RequestError: CustomStringConvertible {
    /// The failure and the next step, in one sentence for the client.
    package var description: String {
        switch self {
        case .malformed: "The request contains a malformed address or field; correct it."
        case .targetTooLong(let limit): "The request's address is longer than \(limit) bytes."
        case .unknownAddress: "There is nothing at this address; check it."
        case .ambiguousHost: "A request must have exactly one Host header."
        case .otherName(let name):
            "The server answers to names of its own machine, such as localhost, not to \"\(name)\"; start it with --allow-host NAME for another name."
        case .otherSite:
            "A page of another site sent the request through a browser; send it from the server's own page or from a program."
        case .tooMany(let things, let wait):
            "Too many \(things) from this address; wait \(wait.wholeSeconds) s, then try again."
        case .tooLarge(let limit): "The body has more than \(limit) bytes, the limit of this method."
        case .tooSlow: "The body arrives too slowly; try again."
        case .invalidGzip(let limit):
            "The gzip body is damaged or inflates to more than \(limit) bytes; send the JSON without compression."
        case .invalidJSON: "The body is not the JSON that this method expects; see the description of the API."
        case .malformedForm: "The body is not a form in multipart/form-data; correct it, or load the page again."
        case .incompleteBody: "The body is not valid HTTP or is incomplete; send it again."
        case .interrupted:
            "The server ended its work on the request, because it stops or the connection closed; try again."
        }
    }
}

extension HTTPResponse.Status {
    /// Whether the connection closes after the response, because the rest of an oversized body may be on its way.
    package var endsConnection: Bool { self == .contentTooLarge || self == .requestTimeout }
}

extension Duration {
    /// The duration in seconds, rounded up to at least one.
    package var wholeSeconds: Int64 { max(components.seconds + (components.attoseconds > 0 ? 1 : 0), 1) }
}
