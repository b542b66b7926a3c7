import HTTPTypes
import Hummingbird

/// Refuses requests before all other code: those of clients that send too many, those without exactly one Host
/// header, because a proxy might use another one (RFC 9112, section 3.2), and those whose path or query is malformed; and those of web
/// pages, if the rules ask for that.
///
/// ``EarlierHTTP`` adds the Host header to requests of HTTP/1.0, which need none.
package struct Admission: RouterMiddleware {
    package typealias Context = ServingContext

    /// The requests of web pages that a server refuses which answers without a credential.
    package struct Rules: OptionSet, Sendable {
        package let rawValue: Int

        package init(rawValue: Int) { self.rawValue = rawValue }

        /// Pages of other sites only read.
        package static let otherSitesRead = Rules(rawValue: 1)
        /// The field Host has a name of this machine, or one that the operator gave.
        package static let namesOfThisMachine = Rules(rawValue: 2)
    }

    private let rules: Rules
    private let refuse: @Sendable (RequestError) -> Response

    /// - Parameter refuse: Turns the reason into a response.
    package init(_ rules: Rules = [], refuse: @escaping @Sendable (RequestError) -> Response) {
        (self.rules, self.refuse) = (rules, refuse)
    }

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
        if rules.contains(.namesOfThisMachine), !context.namesThisMachine {
            return refuse(.otherName(String((request.head.authority ?? "").prefix(253))))
        }
        if rules.contains(.otherSitesRead), context.isFromOtherSite, ![.get, .head, .options].contains(request.method) {
            return refuse(.otherSite)
        }
        if let error = context.targetError { return refuse(error) }
        return try await next(request, context)
    }
}
