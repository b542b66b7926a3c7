import CommandLineSupport
import HTTPServing
import HTTPTypes
import Hummingbird

/// The HTTP interface of a service: the routes of all dialects, of operators and of the page, behind the middleware.
struct AnswerAPI: HTTPResponder {
    /// The chapter of the routes that operators use.
    static let operators = "Operators"

    private let router: RouterResponder<ServingContext>

    init(_ service: AnswerService, server: HTTPService.Options, token: Secret?) {
        let metrics = service.metrics
        var rules = Admission.Rules.otherSitesRead
        // A token protects from pages whose host claims to be this machine, and other machines know the server by any name.
        if token == nil, !server.isReachableFromElsewhere { rules.insert(.namesOfThisMachine) }
        let routes = Self.routes(of: service, token: token)
        let router = Router(context: ServingContext.self)
        router.addMiddleware {
            RequestOrigin(options: server, kinds: routes.kinds)
            RequestMetrics(metrics: metrics.server, areas: routes.areas)
            RequestLog()
            ResponseProtection(usesTLS: server.tls != nil)
            Admission(rules) { .answer(AnswerError($0)) }
            ErrorResponses { error, _ in
                if let error = error as? HTTPError, error.status == .notFound { return .answer(.nothingHere) }
                return .answer(AnswerError.answer(to: error, metrics))
            }
        }
        for route in routes.routes {
            router.on(route.path, method: route.method) { request, context in
                try await route.handler(APIRequest(request, context))
            }
        }
        self.router = router.buildResponder()
    }

    /// All routes.
    static func routes(of service: AnswerService, token: Secret?) -> RouteList<AnswerAccess> {
        let gate = AnswerGate(token: token)
        var routes = AnswerRoutes(gate: gate, metrics: service.metrics)
        let dialects = Dialects.all(of: service)
        for dialect in dialects { routes.add(dialect) }
        PageRoutes(shadows: service.shadows).add(to: &routes)
        HealthRoutes(service: service).add(to: &routes)
        ShadowRoutes(service: service).add(to: &routes)
        let described = routes.list.routes
        routes.on(.get, .head, at: "openapi.json", for: .everybody) { _ in
            .json(text: OpenAPIDocument(described, dialects: dialects).text)
        }
        return routes.list
    }

    func respond(to request: Request, context: ServingContext) async throws -> Response {
        var context = context
        let request = context.readTarget(of: request, spelling: Self.spelling)
        let response = try await router.respond(to: request, context: context)
        return request.method == .head ? response.withoutBody : response
    }

    private static let spelling = RequestTarget.Spelling()
}

extension OpenAPIDocument {
    /// Describes the routes of a server of answers.
    init(_ routes: [Route<AnswerAccess>], dialects: [any Dialect]) {
        let error = Schema.fields(["error": .text("The failure and the next step, in one sentence.")]).named("Error")
        self.init(
            routes,
            in: Frame(
                info: .fields([
                    "title": "Sightline", "version": .text(SightlineVersion.current),
                    "summary": "Objects and labels in pictures.",
                    "description": .text(Self.introduction),
                    "license": .fields(["name": "Apache-2.0", "identifier": "Apache-2.0"]),
                ]),
                server: "The server of this document.",
                tags: dialects.map { ($0.name, $0.summary) } + [(AnswerAPI.operators, "Health, metrics and shadows.")],
                securitySchemes: .fields([
                    "token": .fields([
                        "type": "http", "scheme": "bearer",
                        "description": "The token in the file of `--token-file`, if the server was started with one.",
                    ])
                ]),
                error: error
            )
        ) { access in
            let (nothing, token) = (OrderedJSON.object([]), OrderedJSON.fields(["token": []]))
            return switch access {
            case .everybody: []
            case .token, .metrics: [nothing, token]
            }
        }
    }

    private static let introduction = """
        Send a picture, get the objects in it or its labels. Options are fields of the query or of a form, with the names of the \
        options of `sightline detect` and `sightline label`. Every answer has the name and the version of its model.

        Errors are `{"error": "…"}`, a sentence with the failure and the next step. After status 503, wait as many seconds as \
        `Retry-After` says. Fields that this description lacks may be added; ignore them.
        """
}
