import HTTPTypes
import Hummingbird

/// The requests that pages of other sites may send, and whose responses they may read: the requests of apps (CORS,
/// fetch.spec.whatwg.org).
///
/// Each of these requests contains its own API key, token or signature, and no cookie gives access to them. A page
/// therefore learns nothing that another program of its author could not request.
enum CrossOrigin {
    /// Whether a request concerns an installation, a configuration, a model, or the file of a model.
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

    /// The response to a preflight request of a browser, which has no credentials.
    static func preflight(_ request: APIRequest) -> Response {
        var headers: HTTPFields = [
            .accessControlAllowMethods: "GET, HEAD, POST, DELETE",
            // Two hours, the maximum that browsers accept.
            .accessControlMaxAge: "7200",
        ]
        headers[.accessControlAllowHeaders] = request.headers[.accessControlRequestHeaders]
        return .empty(.noContent, headers: headers)
    }

    /// Allows a page to read a response, including errors.
    static func open(_ response: inout Response) {
        response.headers[.accessControlAllowOrigin] = "*"
        response.headers[.accessControlExposeHeaders] = exposedHeaders
    }

    private static let exposedHeaders = [HTTPField.Name.eTag, .contentRange, .confidenceThreshold]
        .map(\.canonicalName).joined(separator: ", ")
}
