import HTTPTypes
import Hummingbird
import Logging

/// Logs each request with its status and duration.
package struct RequestLog: RouterMiddleware {
    package typealias Context = ServingContext

    package init() {}

    package func handle(
        _ request: Request,
        context: ServingContext,
        next: (Request, ServingContext) async throws -> Response
    ) async throws -> Response {
        let start = ContinuousClock.now
        let response = try await next(request, context)
        let status = response.status.code
        let isChange = request.method != .get && request.method != .head && !context.kind.isFromApps
        context.logger.log(
            level: isChange || status >= 500 ? .info : .debug,
            "request",
            metadata: [
                // Without the query, which may contain keys and signatures.
                "method": "\(request.method)", "path": "\(context.originalTarget.prefix { $0 != "?" })",
                "status": "\(status)", "peer": "\(context.client)",
                "milliseconds": "\((ContinuousClock.now - start) / .milliseconds(1))",
            ]
        )
        return response
    }
}
