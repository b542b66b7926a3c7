import HTTPTypes
import Hummingbird

/// What pages of other sites may ask the hub for, and read: what apps ask for (CORS, fetch.spec.whatwg.org).
///
/// Every such request carries its own API key, token or signature, and none is allowed by a cookie. A page thus learns nothing
/// that a program of the same author could not ask for.
enum CrossOrigin {
    /// Whether a request is for an installation, a configuration, a model, or the file of one.
    static func isOpen(_ request: APIRequest) -> Bool {
        guard let first = request.path.first, let last = request.path.last else { return false }
        switch first {
        case "files": return true
        case "v1beta2": return last.hasSuffix(":download")
        case "v1":
            let isForInstallations = request.path.count > 3 && request.path[3] == "installations"
            return isForInstallations || last.hasSuffix(":fetch") || last.hasSuffix(":streamFetchInvalidations")
        default: return false
        }
    }

    /// The answer to a browser that asks whether it may send a request. It has no credential: browsers send none with it.
    static func preflight(_ request: APIRequest) -> Response {
        var headers: HTTPFields = [
            .accessControlAllowMethods: "GET, HEAD, POST, DELETE",
            // Two hours, the longest that browsers heed.
            .accessControlMaxAge: "7200",
        ]
        headers[.accessControlAllowHeaders] = request.headers[.accessControlRequestHeaders]
        return .empty(.noContent, headers: headers)
    }

    /// Lets a page read an answer, whether it is a success or an error.
    static func open(_ response: inout Response) {
        response.headers[.accessControlAllowOrigin] = "*"
        response.headers[.accessControlExposeHeaders] = exposedHeaders
    }

    private static let exposedHeaders = [HTTPField.Name.eTag, .contentRange, .confidenceThreshold]
        .map(\.canonicalName).joined(separator: ", ")
}
