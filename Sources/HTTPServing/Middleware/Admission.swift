import HTTPTypes
import Hummingbird

/// Refuses requests before anything else looks at them: those of clients that send too many, those without exactly one Host
/// header, because a proxy might use another one (RFC 9112, section 3.2), and those whose path or query is malformed.
///
/// ``EarlierHTTP`` adds the Host header to requests of HTTP/1.0, which need none.
package struct Admission: RouterMiddleware {
    package typealias Context = ServingContext

    private let refuse: @Sendable (RequestError) -> Response

    /// - Parameter refuse: Turns the reason into a response.
    package init(refuse: @escaping @Sendable (RequestError) -> Response) { self.refuse = refuse }

    package func handle(
        _ request: Request,
        context: ServingContext,
        next: (Request, ServingContext) async throws -> Response
    ) async throws -> Response {
        if let wait = context.limiter?.wait(for: context.client.network) {
            return refuse(.tooMany("requests", wait: wait))
        }
        if !context.client.isLocal, request.head.authority == nil || request.headers[.furtherHost] != nil {
            return refuse(.ambiguousHost)
        }
        if let error = context.targetError { return refuse(error) }
        return try await next(request, context)
    }
}
