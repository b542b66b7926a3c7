import HTTPServing
import HTTPTypes
import Hummingbird

/// The routes of the hub. Each feature adds its own.
///
/// A path is written as for Hummingbird's router: `{name}` stands for a part of the path, `{name}:verb` for a part with
/// a custom method of Google's APIs, and `**` at the end for any further parts.
struct RouteTable {
    typealias Description = @Sendable () -> APIOperation

    /// The response to requests below a path that match no route.
    struct Fallback: Sendable {
        /// The first parts of the path; a star stands for any part.
        let prefix: [Substring]
        let kind: RouteKind
        let handler: Route.Handler

        /// Whether a path begins with the prefix.
        func matches(_ path: [String]) -> Bool {
            path.count >= prefix.count && zip(prefix, path).allSatisfy { $0 == "*" || $0 == $1 }
        }
    }

    /// The usual methods of HTTP (RFC 9110, section 9.3; RFC 5789).
    static let usualMethods: [HTTPRequest.Method] = [
        .get, .head, .post, .put, .patch, .delete, .options, .trace, .connect,
    ]

    private let hub: Hub
    private(set) var routes: [Route] = []
    private(set) var fallbacks: [Fallback] = []

    /// - Parameter hub: The hub that knows the callers.
    init(hub: Hub) { self.hub = hub }

    /// Adds a route whose handler checks the access.
    mutating func on(
        _ methods: HTTPRequest.Method...,
        at path: String,
        for proof: HandlerProof = .nothing,
        kind: RouteKind = RouteKind(),
        use handler: @escaping Route.Handler,
        describedBy: Description? = nil
    ) {
        add(methods, path, kind, .ofHandler(proof), handler, describedBy)
    }

    /// Adds a route for callers that have a role in the project in the path, or in their own project if the path
    /// contains none. The caller is known before the handler reads anything else of the request.
    mutating func on(
        _ methods: HTTPRequest.Method...,
        at path: String,
        for role: Role,
        use handler: @escaping @Sendable (APIRequest, Caller) async throws -> Response,
        describedBy: @escaping Description
    ) {
        let checked: Route.Handler = { [hub] request in
            let caller = try await hub.caller(request, project: request.parameter("project") ?? "-", atLeast: role)
            return try await handler(request, caller)
        }
        add(methods, path, RouteKind(), .project(role), checked, describedBy)
    }

    /// Adds a route for callers that have a role in the whole hub; for everybody with a bearer token if the role is nil.
    /// The caller is known before the handler reads anything else of the request.
    mutating func onHub(
        _ method: HTTPRequest.Method,
        at path: String,
        for role: Role?,
        use handler: @escaping @Sendable (APIRequest, Identity) async throws -> Response,
        describedBy: @escaping Description
    ) {
        let checked: Route.Handler = { [hub] request in
            let identity = try await hub.identity(of: request)
            if let role { try identity.require(role) }
            return try await handler(request, identity)
        }
        add([method], path, RouteKind(), .hub(role), checked, describedBy)
    }

    /// Adds a page or a form of the console. The handler of the console finds out about the session and the role.
    mutating func onConsole(
        _ methods: [HTTPRequest.Method],
        at path: String,
        for role: Role,
        use handler: @escaping Route.Handler
    ) {
        add(methods, path, RouteKind(), .console(role), handler, nil)
    }

    /// Adds a route for all methods. The description is that of GET.
    mutating func onAnyMethod(
        at path: String,
        kind: RouteKind = RouteKind(),
        use handler: @escaping Route.Handler,
        describedBy: Description? = nil
    ) {
        add([.get], path, kind, .ofHandler(.nothing), handler, describedBy)
        add(Self.usualMethods.filter { $0 != .get }, path, kind, .ofHandler(.nothing), handler, nil)
    }

    /// Rejects the methods that the previous routes with a path leave, with status 405.
    mutating func refuseOtherMethods(at path: String) {
        let path = RouterPath(path)
        let known = routes.filter { $0.path == path }
        let kind = known.first?.kind ?? RouteKind()
        for method in Self.usualMethods where !known.contains(where: { $0.method == method }) {
            let refusal = Route(
                method: method,
                path: path,
                kind: kind,
                access: .ofHandler(.nothing),
                handler: { _ in throw HubError.methodNotAllowed },
                describedBy: nil
            )
            routes.append(refusal)
        }
    }

    /// Adds the response to requests below a path that match no route. A star stands for any part of the path. The
    /// first fallback that matches responds.
    mutating func otherwise(
        below prefix: String,
        kind: RouteKind = RouteKind(),
        use handler: @escaping Route.Handler
    ) {
        fallbacks.append(
            Fallback(prefix: prefix.split(separator: "/"), kind: kind, handler: Self.outsideEventLoop(handler))
        )
    }

    /// The properties of the routes by their paths.
    var kinds: [String: RouteKind] {
        Dictionary(routes.map { ($0.path.description, $0.kind) }) { first, _ in first }
    }

    /// The first parts of all paths.
    var areas: Set<String> {
        Set(
            routes.compactMap { Self.area(of: $0.path.description) }
                + fallbacks.compactMap { $0.prefix.first.map(String.init) }
        )
    }

    private static func area(of path: String) -> String? { path.split(separator: "/").first.map(String.init) }

    private mutating func add(
        _ methods: [HTTPRequest.Method],
        _ path: String,
        _ kind: RouteKind,
        _ access: RouteAccess,
        _ handler: @escaping Route.Handler,
        _ describedBy: Description?
    ) {
        var kind = kind
        kind.area = kind.area ?? Self.area(of: path)
        let path = RouterPath(path)
        let paced = kind.isQuick ? handler : Self.outsideEventLoop(handler)
        for method in methods {
            routes.append(
                Route(
                    method: method,
                    path: path,
                    kind: kind,
                    access: access,
                    handler: paced,
                    describedBy: describedBy
                )
            )
        }
    }

    private static func outsideEventLoop(_ handler: @escaping Route.Handler) -> Route.Handler {
        { request in
            try await BlockingExecutor.run { () async throws -> Response in try await handler(request) }
        }
    }
}

extension HubError {
    static let methodNotAllowed = HubError(
        .unimplemented,
        "This address does not support this method.",
        httpStatus: 405
    )
}
