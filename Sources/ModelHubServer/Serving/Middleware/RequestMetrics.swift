import HTTPTypes
import Hummingbird

/// Counts requests by route and status, and measures their duration.
struct RequestMetrics: RouterMiddleware {
    typealias Context = HubContext

    let metrics: HubMetrics

    func handle(
        _ request: Request,
        context: HubContext,
        next: (Request, HubContext) async throws -> Response
    ) async throws -> Response {
        let start = ContinuousClock.now
        let response = try await next(request, context)
        metrics.count(
            area: context.kind.area ?? Self.area(of: context.originalTarget),
            method: request.method.rawValue,
            status: response.status.code,
            duration: ContinuousClock.now - start
        )
        return response
    }

    /// The first part of a path, out of a few.
    private static func area(of path: String) -> String {
        let first = path.utf8.drop { $0 == UInt8(ascii: "/") }.prefix {
            $0 != UInt8(ascii: "/") && $0 != UInt8(ascii: "?")
        }
        return areas.first { $0.utf8.elementsEqual(first) } ?? "other"
    }

    /// Other first parts count together, so that clients cannot create any number of metrics.
    private static let areas = [
        "v1beta2", "files", "v1", "upload", "storage", "resumable", "download", "hub", "token", "healthz", "readyz",
        "metrics", "console",
    ]
}
