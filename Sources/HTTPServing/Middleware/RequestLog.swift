import HTTPTypes
import Hummingbird
import Logging
import Synchronization

/// Logs requests with their status and duration: those that change something, one line each, and those that the server fails to answer,
/// one line a minute for each area and status; all others at the level debug.
package struct RequestLog: RouterMiddleware {
    package typealias Context = ServingContext

    private struct Failure: Hashable, Sendable {
        var area: String
        var status: Int
    }

    /// The failures since their last lines, by area and status.
    private final class Failures: Sendable {
        private let notices = Mutex(NoticeCounter<Failure>(limit: 1024))

        func count(_ failure: Failure) -> Int? { notices.withLock { $0.count(failure) } }
    }

    private let failures = Failures()

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
        var level = isChange ? Logger.Level.info : .debug
        var count: Int?
        if status >= 500 {
            count = failures.count(Failure(area: context.kind.area ?? "other", status: status))
            level = count == nil ? .debug : .info
        }
        guard level >= context.logger.logLevel else { return response }
        var metadata: Logger.Metadata = [
            // Without the query, which may contain keys and signatures.
            "method": "\(request.method)", "path": "\(context.originalTarget.prefix { $0 != "?" })",
            "status": "\(status)", "peer": "\(context.client)",
            "milliseconds": "\((ContinuousClock.now - start) / .milliseconds(1))",
        ]
        if let count, count > 1 { metadata["failures"] = "\(count)" }
        context.logger.log(level: level, "request", metadata: metadata)
        return response
    }
}
