import HTTPTypes
import Hummingbird

/// Counts requests by route and status, and measures their duration.
package struct RequestMetrics: RouterMiddleware {
    package typealias Context = ServingContext

    private let metrics: ServerMetrics
    private let areas: [String]

    /// - Parameter areas: The first parts of paths that count by themselves. Others count together, so that clients cannot
    ///   create any number of metrics.
    package init(metrics: ServerMetrics, areas: [String]) {
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

    /// The first part of a path, out of a few.
    private func area(of path: String) -> String {
        let first = path.utf8.drop { $0 == UInt8(ascii: "/") }.prefix {
            $0 != UInt8(ascii: "/") && $0 != UInt8(ascii: "?")
        }
        return areas.first { $0.utf8.elementsEqual(first) } ?? "other"
    }
}
