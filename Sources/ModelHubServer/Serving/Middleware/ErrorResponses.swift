import Hummingbird

/// Turns errors into responses with the error bodies of Google's APIs.
struct ErrorResponses: RouterMiddleware {
    typealias Context = HubContext

    let failures: FailureLog

    func handle(
        _ request: Request,
        context: HubContext,
        next: (Request, HubContext) async throws -> Response
    ) async throws -> Response {
        do {
            return try await next(request, context)
        } catch {
            return HubError.answer(to: error, context.logger, failures).response
        }
    }
}
