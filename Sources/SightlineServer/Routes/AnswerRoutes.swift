import HTTPServing
import HTTPTypes
import Hummingbird

/// The callers of a route.
package enum AnswerAccess: Sendable, Hashable {
    /// Everybody.
    case everybody
    /// Every client with the server's token, if the server has one.
    case token
    /// Programs on the server's machine, and every client with the token.
    case metrics
}

/// The routes of a server of answers. Each dialect adds its own.
package struct AnswerRoutes: Sendable {
    /// Writes an error in the form of the dialect whose routes are added.
    private var respond: @Sendable (AnswerError) -> Response = { .answer($0) }
    private let gate: AnswerGate
    private let metrics: AnswerMetrics
    private(set) var list = RouteList<AnswerAccess>()

    init(gate: AnswerGate, metrics: AnswerMetrics) { (self.gate, self.metrics) = (gate, metrics) }

    /// Adds the routes of a dialect.
    mutating func add(_ dialect: any Dialect) {
        respond = { dialect.response(to: $0) }
        dialect.add(to: &self)
        respond = { .answer($0) }
    }

    /// Adds a route. The access is checked before the handler sees the request; errors become responses of the dialect.
    ///
    /// Handlers run on the event loop of their connection and must not compute: ``AnswerService`` moves its work elsewhere.
    ///
    /// - Parameters:
    ///   - path: the path; `{name}` stands for a part of it.
    ///   - description: describes the route in `/openapi.json`; nil leaves it out.
    package mutating func on(
        _ methods: HTTPRequest.Method...,
        at path: String,
        for access: AnswerAccess = .token,
        use handler: @escaping Route<AnswerAccess>.Handler,
        describedBy description: Route<AnswerAccess>.Description? = nil
    ) {
        let checked: Route<AnswerAccess>.Handler = { [gate, metrics, respond] request in
            do {
                try gate.check(request, for: access)
                return try await SentResponse.following { try await handler(request) }
            } catch {
                return respond(AnswerError.answer(to: error, metrics))
            }
        }
        list.add(
            methods,
            at: path,
            // Each picture is a request, so that a line in the log for each would hide everything else.
            kind: RouteKind(isQuick: true, area: path == "/" ? "page" : path, isFromApps: true),
            access: access,
            use: checked,
            describedBy: description
        )
    }

    /// Adds a route for forms of clients that cannot send a header field: the token may be a field of the form instead. What comes before
    /// the token is read up to a small limit, into its own memory.
    ///
    /// - Parameters:
    ///   - path: the path; `{name}` stands for a part of it.
    ///   - field: the name of the field with the token.
    ///   - service: reads the form.
    ///   - description: describes the route in `/openapi.json`.
    mutating func onForm(
        at path: String,
        tokenIn field: String,
        by service: AnswerService,
        use handler: @escaping @Sendable (APIRequest, RequestContents) async throws -> Response,
        describedBy description: @escaping Route<AnswerAccess>.Description
    ) {
        let checked: Route<AnswerAccess>.Handler = { [gate, metrics, respond] request in
            do {
                if gate.isClosed, request.bearerToken == nil {
                    let token = FormToken(field: field) { sent throws(AnswerError) in
                        try gate.check(sent, from: request)
                    }
                    let contents = try await service.contents(of: request, from: token)
                    return try await SentResponse.following { try await handler(request, contents) }
                }
                try gate.check(request, for: .token)
                let contents = try await service.contents(of: request)
                return try await SentResponse.following { try await handler(request, contents) }
            } catch {
                return respond(AnswerError.answer(to: error, metrics))
            }
        }
        list.add(
            [.post],
            at: path,
            kind: RouteKind(isQuick: true, area: path, isFromApps: true),
            access: .token,
            use: checked,
            describedBy: description
        )
    }

    /// Rejects the methods that the previous routes with a path leave, with status 405.
    package mutating func refuseOtherMethods(at path: String) {
        list.refuseOtherMethods(at: path, access: .everybody) { [respond] methods in
            { respond(.wrongMethod($0.method, insteadOf: methods)) }
        }
    }
}

extension AnswerError {
    /// The error for the client after a failure. Failures of the server are logged.
    static func answer(to error: any Error, _ metrics: AnswerMetrics) -> AnswerError {
        if let known = AnswerError(cause: error) { return known }
        metrics.report("failed", error)
        return .failed
    }
}
