import HTTPServing
import Hummingbird

/// Responds to requests that match no route.
struct Fallbacks: RouterMiddleware {
    typealias Context = ServingContext

    private let fallbacks: [RouteTable.Fallback]

    init(_ fallbacks: [RouteTable.Fallback]) { self.fallbacks = fallbacks }

    func handle(
        _ request: Request,
        context: ServingContext,
        next: (Request, ServingContext) async throws -> Response
    ) async throws -> Response {
        do {
            return try await next(request, context)
        } catch let error as HTTPError where error.status == .notFound {
            // The router's own error: routes of the hub throw a `HubError`.
            guard let fallback = fallbacks.first(where: { $0.matches(context.target.path) }) else {
                throw HubError.nothingHere
            }
            return try await fallback.handler(APIRequest(request, context))
        }
    }
}
