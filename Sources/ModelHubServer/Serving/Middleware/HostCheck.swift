import HTTPTypes
import Hummingbird

/// Rejects requests with no Host header or with several, because a proxy might use another one (RFC 9112, section 3.2).
/// ``EarlierHTTP`` adds the field to requests of HTTP/1.0, which need none.
struct HostCheck: RouterMiddleware {
    typealias Context = HubContext

    func handle(
        _ request: Request,
        context: HubContext,
        next: (Request, HubContext) async throws -> Response
    ) async throws -> Response {
        guard request.head.authority != nil, request.headers[.furtherHost] == nil else {
            return HubError(.invalidArgument, "A request must have exactly one Host header.").openResponse
        }
        return try await next(request, context)
    }
}
