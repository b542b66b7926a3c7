import HTTPTypes
import Hummingbird

extension Response {
    /// The response to a HEAD request. The length of the body stays; a body would be taken for the next response of the
    /// connection (RFC 9110, section 9.3.2).
    package var withoutBody: Response {
        let length = body.contentLength
        guard length != 0 else { return self }
        var response = self
        response.body = ResponseBody()
        if let length { response.headers[.contentLength] = "\(length)" }
        return response
    }
}
