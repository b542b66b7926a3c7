import Foundation
import Hummingbird
import Logging
import NIOCore
import NIOHTTP1

extension Response {
    /// An answer in JSON.
    static func json(
        _ value: some Encodable,
        status: HTTPResponse.Status = .ok,
        headers: HTTPFields = HTTPFields()
    ) throws -> Response {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return json(text: String(decoding: try encoder.encode(value), as: UTF8.self), status: status, headers: headers)
    }

    /// An answer in JSON that is written already.
    static func json(text: String, status: HTTPResponse.Status = .ok, headers: HTTPFields = HTTPFields()) -> Response {
        var headers = headers
        headers[.contentType] = "application/json; charset=UTF-8"
        return Response(status: status, headers: headers, body: ResponseBody(byteBuffer: ByteBuffer(string: text)))
    }

    /// An answer without a body.
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
    /// An ETag as Google's clients compare it: without the quotes that RFC 9110 wants.
    ///
    /// nginx drops such an ETag from an answer that it compresses. It leaves alone an answer that names an encoding.
    static func unquoted(etag: String) -> HTTPFields { [.eTag: etag, .contentEncoding: "identity"] }
}

/// The body of an error, as Google's APIs write it.
private struct ErrorBody: Encodable {
    struct Content: Encodable {
        var code: Int
        var message: String
        var status: String
    }

    var error: Content
}

extension HubError {
    /// Whether the connection ends behind the answer, since the rest of a body that is too much may be on its way.
    var endsConnection: Bool { httpStatus == 413 || httpStatus == 408 }

    /// The error that a client is told of when something failed. The log has failures of the hub.
    static func answer(to error: any Error, _ logger: Logger) -> HubError {
        switch error {
        case let error as HubError:
            if error.httpStatus >= 500 { logger.error("failed", metadata: ["reason": "\(error.message)"]) }
            return error
        case is HTTPParserError:
            logger.debug("malformed body", metadata: ["reason": "\(error)"])
            return HubError(.invalidArgument, "The body is not what HTTP allows, or it broke off; send it again.")
        default:
            logger.error("failed", metadata: ["reason": "\(error)"])
            return HubError(.internal, "The hub failed; its log says more.")
        }
    }

    /// The error as an answer. After it the connection ends if more of a body may be on its way.
    var response: Response {
        var headers = HTTPFields()
        if let retryAfter { headers[.retryAfter] = "\(retryAfter.wholeSeconds)" }
        if code == .unauthenticated { headers[.wwwAuthenticate] = "Bearer" }
        if endsConnection { headers[.connection] = "close" }
        let body = ErrorBody(error: .init(code: httpStatus, message: message, status: code.name))
        let status = HTTPResponse.Status(code: httpStatus)
        return (try? .json(body, status: status, headers: headers)) ?? Response(status: status, headers: headers)
    }
}

/// An object without fields: `{}`.
struct EmptyObject: Encodable {}
