import HTTPServing
import HTTPTypes
import Hummingbird

/// Rejects the credentials of clients that presented too many wrong ones, and counts wrong ones.
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
        try guesses.check(context.client)
        do {
            return try await next(request, context)
        } catch let error as HubError where error.isWrongCredential {
            guesses.count(credential, from: context.client, context.logger)
            throw error
        }
    }

    /// The presented token, key or signature, for recognizing it again.
    private static func credential(of request: Request, _ query: [String: String]) -> String? {
        request.headers[.authorization] ?? query["key"] ?? request.headers[.googAPIKey] ?? query["signature"]
            ?? query[SignedObjectRequest.signatureField]
    }
}
