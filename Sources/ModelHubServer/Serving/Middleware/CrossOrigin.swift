import HTTPServing
import HTTPTypes
import Hummingbird

/// Lets pages of other sites send some requests and read the responses: the requests of apps (CORS,
/// fetch.spec.whatwg.org).
///
/// Each of these requests contains its own API key, token or signature, and no cookie gives access to them. A page
/// therefore gets nothing that another program of its author could not request.
struct CrossOrigin: RouterMiddleware {
    typealias Context = ServingContext

    /// The responses to requests that match no route.
    let fallbacks: [RouteTable.Fallback]

    func handle(
        _ request: Request,
        context: ServingContext,
        next: (Request, ServingContext) async throws -> Response
    ) async throws -> Response {
        let kind =
            context.endpointPath == nil ? fallbacks.first { $0.matches(context.target.path) }?.kind : context.kind
        guard kind?.isOpenToOtherSites == true else { return try await next(request, context) }
        var response =
            request.method == .options ? Self.preflight(request) : try await next(request, context)
        response.openToOtherSites()
        return response
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

    private static let exposedHeaders = [HTTPField.Name.eTag, .contentRange, .confidenceThreshold, .rollout]
        .map(\.canonicalName).joined(separator: ", ")
}

extension HubError {
    /// The error as a response to a request that is not looked at any further. It reveals nothing about the hub, and a page
    /// of another site must learn how long to wait.
    var openResponse: Response {
        var response = response
        response.openToOtherSites()
        return response
    }
}
