import Hummingbird

/// Decodes the path and the query, and rejects those that are malformed or that the rules of a proxy might miss.
struct TargetDecoding: RouterMiddleware {
    typealias Context = HubContext

    func handle(
        _ request: Request,
        context: HubContext,
        next: (Request, HubContext) async throws -> Response
    ) async throws -> Response {
        var context = context
        do throws(HubError) {
            context.target = try RequestTarget(context.originalTarget)
        } catch {
            return error.openResponse
        }
        return try await next(request, context)
    }
}
