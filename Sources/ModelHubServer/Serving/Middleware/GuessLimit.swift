import HTTPServing
import HTTPTypes
import Hummingbird

/// Counts wrong credentials, and slows down clients that present too many.
struct GuessLimit: RouterMiddleware {
    typealias Context = ServingContext

    let guesses: GuessLimiter

    func handle(
        _ request: Request,
        context: ServingContext,
        next: (Request, ServingContext) async throws -> Response
    ) async throws -> Response {
        guard !context.client.isLocal, let credential = Self.credential(of: request, context.target.query) else {
            return try await next(request, context)
        }
        do {
            return try await next(request, context)
        } catch let error as HubError where error.isWrongCredential {
            try guesses.count(
                credential,
                from: context.client,
                isFromOtherSite: context.isFromOtherSite,
                context.logger
            )
            throw error
        }
    }

    /// The presented token, key or signature, for recognizing it again.
    private static func credential(of request: Request, _ query: [String: String]) -> String? {
        request.headers[.authorization] ?? query["key"] ?? request.headers[.googAPIKey] ?? query["signature"]
            ?? query[SignedObjectRequest.signatureField]
    }
}
