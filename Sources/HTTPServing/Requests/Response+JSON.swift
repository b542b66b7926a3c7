import Foundation
import Hummingbird
import NIOCore

extension Response {
    /// A response in JSON.
    package static func json(
        _ value: some Encodable,
        status: HTTPResponse.Status = .ok,
        headers: HTTPFields = HTTPFields()
    ) throws -> Response {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return json(text: String(decoding: try encoder.encode(value), as: UTF8.self), status: status, headers: headers)
    }

    /// A response with JSON text.
    package static func json(
        text: String,
        status: HTTPResponse.Status = .ok,
        headers: HTTPFields = HTTPFields()
    ) -> Response {
        var headers = headers
        headers[.contentType] = "application/json; charset=UTF-8"
        return Response(status: status, headers: headers, body: ResponseBody(byteBuffer: ByteBuffer(string: text)))
    }

    /// A response without a body.
    package static func empty(_ status: HTTPResponse.Status, headers: HTTPFields = HTTPFields()) -> Response {
        var response = Response(status: status, headers: headers)
        if status == .notModified {
            response.headers[.contentLength] = nil
            response.headers[.contentEncoding] = nil
        }
        return response
    }
}
