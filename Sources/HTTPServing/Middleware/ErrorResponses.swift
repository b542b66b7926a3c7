import Hummingbird
import Logging

/// Turns errors into the responses of the server.
package struct ErrorResponses: RouterMiddleware {
    package typealias Context = ServingContext

    private let response: @Sendable (any Error, Logger) -> Response

    /// - Parameter response: The response to an error, which it logs if the server failed.
    package init(response: @escaping @Sendable (any Error, Logger) -> Response) { self.response = response }

    package func handle(
        _ request: Request,
        context: ServingContext,
        next: (Request, ServingContext) async throws -> Response
    ) async throws -> Response {
        do {
            return try await next(request, context)
        } catch {
            return response(error, context.logger)
        }
    }
}
