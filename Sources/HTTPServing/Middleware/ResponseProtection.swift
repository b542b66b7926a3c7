import HTTPTypes
import Hummingbird

/// Adds the headers by which browsers protect themselves, and closes connections on which the rest of a rejected body
/// may be on its way.
package struct ResponseProtection: RouterMiddleware {
    package typealias Context = ServingContext

    private let usesTLS: Bool

    package init(usesTLS: Bool) { self.usesTLS = usesTLS }

    package func handle(
        _ request: Request,
        context: ServingContext,
        next: (Request, ServingContext) async throws -> Response
    ) async throws -> Response {
        var response = try await next(request, context)
        if response.status.code >= 400, Self.hasLargeBody(request) { response.headers[.connection] = "close" }
        response.headers[.xContentTypeOptions] = "nosniff"
        if usesTLS { response.headers[.strictTransportSecurity] = "max-age=31536000" }
        return response
    }

    private static func hasLargeBody(_ request: Request) -> Bool {
        if request.headers[.transferEncoding] != nil { return true }
        return request.headers[.contentLength].flatMap { Int($0) } ?? 0 > APIRequest.smallBodyLimit
    }
}
