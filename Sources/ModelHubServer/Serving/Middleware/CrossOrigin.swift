import HTTPServing
import HTTPTypes
import Hummingbird

/// The requests that pages of other sites may send, and whose responses they may read: the requests of apps (CORS,
/// fetch.spec.whatwg.org).
///
/// Each of these requests contains its own API key, token or signature, and no cookie gives access to them. A page
/// therefore learns nothing that another program of its author could not request.
struct CrossOrigin: RouterMiddleware {
    typealias Context = ServingContext

    func handle(
        _ request: Request,
        context: ServingContext,
        next: (Request, ServingContext) async throws -> Response
    ) async throws -> Response {
        guard Self.isOpen(context.target.path) else { return try await next(request, context) }
        var response =
            request.method == .options ? Self.preflight(request) : try await next(request, context)
        response.openToOtherSites()
        return response
    }

    /// Whether a path concerns an installation, a configuration, a model, or the file of a model.
    private static func isOpen(_ path: [String]) -> Bool {
        guard let first = path.first, let last = path.last else { return false }
        switch first {
        case "files": return true
        case "v1beta2": return last.hasSuffix(":download")
        case "v1":
            let isForInstallations = path.count > 3 && path[3] == "installations"
            return isForInstallations || last.hasSuffix(":fetch") || last.hasSuffix(ConfigFetchRoutes.liveUpdatesVerb)
        default: return false
        }
    }

    /// The response to a preflight request of a browser, which has no credentials.
    private static func preflight(_ request: Request) -> Response {
        var headers: HTTPFields = [
            .accessControlAllowMethods: "GET, HEAD, POST, DELETE",
            // Two hours, the maximum that browsers accept.
            .accessControlMaxAge: "7200",
        ]
        headers[.accessControlAllowHeaders] = request.headers[.accessControlRequestHeaders]
        return .empty(.noContent, headers: headers)
    }
}

extension Response {
    /// Allows pages of other sites to read the response, including errors.
    mutating func openToOtherSites() {
        headers[.accessControlAllowOrigin] = "*"
        headers[.accessControlExposeHeaders] = Self.exposedHeaders
    }

    private static let exposedHeaders = [HTTPField.Name.eTag, .contentRange, .confidenceThreshold]
        .map(\.canonicalName).joined(separator: ", ")
}

extension HubError {
    /// The error as a response to a request that is not looked at any further. It tells nothing about the hub, and a page
    /// of another site must learn how long to wait.
    var openResponse: Response {
        var response = response
        response.openToOtherSites()
        return response
    }
}
