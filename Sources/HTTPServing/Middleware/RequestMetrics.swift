import HTTPTypes
import Hummingbird

/// Counts requests by route and status, and measures their duration.
package struct RequestMetrics: RouterMiddleware {
    package typealias Context = ServingContext

    private let metrics: ServerMetrics
    private let areas: Set<String>

    /// - Parameter areas: The first parts of paths that count separately. Others count together, so that clients cannot
    ///   create any number of metrics.
    package init(metrics: ServerMetrics, areas: Set<String>) {
        self.metrics = metrics
        self.areas = areas
    }

    package func handle(
        _ request: Request,
        context: ServingContext,
        next: (Request, ServingContext) async throws -> Response
    ) async throws -> Response {
        let start = ContinuousClock.now
        let response = try await next(request, context)
        metrics.count(
            area: context.kind.area ?? area(of: context.originalTarget),
            method: request.method.rawValue,
            status: response.status.code,
            duration: ContinuousClock.now - start
        )
        return response
    }

    /// The area of a request that matches no route.
    private func area(of path: String) -> String {
        let first = path.drop { $0 == "/" }.prefix { $0 != "/" && $0 != "?" }
        return areas.contains(String(first)) ? String(first) : "other"
    }
}
