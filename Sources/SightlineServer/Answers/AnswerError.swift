import HTTPServing
import HTTPTypes
import Sightline

/// The reason why a request gets no answer. Each dialect writes it in its own form.
package struct AnswerError: Error, Sendable, Hashable {
    /// The status of the response.
    package var status: HTTPResponse.Status
    /// The failure and the next step, in one sentence.
    package var message: String
    /// The time after which the same request may succeed; nil if waiting alone does not help.
    package var retryAfter: Duration?

    /// Creates an error.
    package init(_ status: HTTPResponse.Status, _ message: String, retryAfter: Duration? = nil) {
        (self.status, self.message, self.retryAfter) = (status, message, retryAfter)
    }

    /// The request is not what the method expects.
    package static func invalid(_ message: String) -> AnswerError { AnswerError(.badRequest, message) }

    /// The server's queue or memory is full.
    package static let busy = AnswerError(
        .serviceUnavailable,
        "The server has as many pictures as it can hold; try again in a second.",
        retryAfter: .seconds(1)
    )

    /// The time of the request is over.
    package static func late(after limit: Duration) -> AnswerError {
        AnswerError(
            .serviceUnavailable,
            "The server had no time for the picture within \(limit.wholeSeconds) s; try again in a moment.",
            retryAfter: .seconds(2)
        )
    }

    /// The request needs the token of the server.
    package static let unauthorized = AnswerError(
        .unauthorized,
        "The request needs the server's token; send it as `Authorization: Bearer TOKEN`."
    )

    /// The address has other methods only, such as "GET, HEAD".
    package static func methodNotAllowed(_ allowed: String) -> AnswerError {
        AnswerError(
            .methodNotAllowed,
            "This address does not support this method; use \(allowed.replacing(", ", with: " or "))."
        )
    }

    /// There is nothing at the address.
    package static let nothingHere = AnswerError(
        .notFound,
        "There is nothing at this address; /openapi.json describes the server's API."
    )

    /// Something failed that is not the client's fault; the log has the reason.
    package static let failed = AnswerError(.internalServerError, "The server failed; see its log.")
}

extension AnswerError: CustomStringConvertible {
    /// The message.
    package var description: String { message }
}
