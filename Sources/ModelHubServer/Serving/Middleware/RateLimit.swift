import Hummingbird

/// Rejects requests of clients that send too many, before anything of the request is parsed.
struct RateLimit: RouterMiddleware {
    typealias Context = HubContext

    func handle(
        _ request: Request,
        context: HubContext,
        next: (Request, HubContext) async throws -> Response
    ) async throws -> Response {
        if let wait = context.limiter?.wait(for: context.client.network) {
            return HubError.tooMany("requests", wait: wait).openResponse
        }
        return try await next(request, context)
    }
}
