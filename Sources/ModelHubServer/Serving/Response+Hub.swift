import Foundation
import Hummingbird
import Logging
import ModelHubProtocol
import NIOCore
import NIOHTTP1

extension Response {
    /// A response in JSON.
    static func json(
        _ value: some Encodable,
        status: HTTPResponse.Status = .ok,
        headers: HTTPFields = HTTPFields()
    ) throws -> Response {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return json(text: String(decoding: try encoder.encode(value), as: UTF8.self), status: status, headers: headers)
    }

    /// A response with JSON text.
    static func json(text: String, status: HTTPResponse.Status = .ok, headers: HTTPFields = HTTPFields()) -> Response {
        var headers = headers
        headers[.contentType] = "application/json; charset=UTF-8"
        return Response(status: status, headers: headers, body: ResponseBody(byteBuffer: ByteBuffer(string: text)))
    }

    /// A response without a body.
    static func empty(_ status: HTTPResponse.Status, headers: HTTPFields = HTTPFields()) -> Response {
        var response = Response(status: status, headers: headers)
        if status == .notModified {
            response.headers[.contentLength] = nil
            response.headers[.contentEncoding] = nil
        }
        return response
    }
}

extension HTTPFields {
    /// An ETag in the form that Google's clients compare: without the quotes of RFC 9110.
    ///
    /// nginx removes such an ETag from a response that it compresses. It does not compress a response with a content
    /// encoding.
    static func unquoted(etag: String) -> HTTPFields { [.eTag: etag, .contentEncoding: "identity"] }
}

extension HubError {
    /// Whether the connection closes after the response, because the rest of an oversized body may be on its way.
    var endsConnection: Bool { httpStatus == 413 || httpStatus == 408 }

    /// The error for the client after a failure. Failures of the hub are logged.
    static func answer(to error: any Error, _ logger: Logger, _ failures: FailureLog) -> HubError {
        switch error {
        case let error as HubError:
            if error.httpStatus >= 500 { logger.error("failed", metadata: ["reason": "\(error.message)"]) }
            failures.note(error, logger)
            return error
        case is HTTPParserError:
            logger.debug("malformed body", metadata: ["reason": "\(error)"])
            return HubError(.invalidArgument, "The body is not valid HTTP or is incomplete; send it again.")
        case is CancellationError, is ChannelError, is NIOAsyncWriterError:
            return interrupted(error, logger)
        case let error as IOError where [ECONNRESET, EPIPE, ENOTCONN, ETIMEDOUT].contains(error.errnoCode):
            return interrupted(error, logger)
        default:
            logger.error("failed", metadata: ["reason": "\(error)"])
            return HubError(.internal, "The hub failed; see its log.")
        }
    }

    /// The error after the client left, or after the hub began to stop. Nothing failed.
    private static func interrupted(_ error: any Error, _ logger: Logger) -> HubError {
        logger.debug("interrupted", metadata: ["reason": "\(error)"])
        return HubError(
            .unavailable,
            "The hub ended its work on the request, because it stops or the connection closed; try again.",
            retryAfter: .seconds(1)
        )
    }

    /// The error as a response. The connection then closes if more of a body may be on its way.
    var response: Response {
        var headers = HTTPFields()
        if let retryAfter { headers[.retryAfter] = "\(retryAfter.wholeSeconds)" }
        if code == .unauthenticated { headers[.wwwAuthenticate] = "Bearer" }
        if endsConnection { headers[.connection] = "close" }
        let text = configCode.map { "[\($0)]: \(message)" } ?? message
        let body = ErrorBody(code: httpStatus, message: text, status: code.name)
        return .json(text: body.json, status: HTTPResponse.Status(code: httpStatus), headers: headers)
    }
}

/// An object without fields: `{}`.
struct EmptyObject: Encodable {}
