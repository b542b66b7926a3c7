import HTTPServing
import HTTPTypes
import Hummingbird

/// The routes of the hub. Each feature adds its own.
///
/// A path is written as for Hummingbird's router: `{name}` stands for a part of the path, `{name}:verb` for a part with
/// a custom method of Google's APIs, and `**` at the end for any further parts.
struct RouteTable {
    typealias Description = Route.Description

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

    private let hub: Hub
    private var list = RouteList<RouteAccess>()
    private(set) var fallbacks: [Fallback] = []

    /// All routes.
    var routes: [Route] { list.routes }

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
        let hasConfigCodes = path.contains("emoteConfig")
        let checked: Route.Handler = { [hub] request in
            do {
                let caller = try await hub.caller(request, project: request.parameter("project") ?? "-", atLeast: role)
                return try await handler(request, caller)
            } catch var error as HubError where hasConfigCodes && error.code == .permissionDenied {
                error.configCode = "PERMISSION_DENIED"
                throw error
            }
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
        add(RouteList<RouteAccess>.usualMethods.filter { $0 != .get }, path, kind, .ofHandler(.nothing), handler, nil)
    }

    /// Rejects the methods that the previous routes with a path leave, with status 405.
    mutating func refuseOtherMethods(at path: String) {
        list.refuseOtherMethods(at: path, access: .ofHandler(.nothing)) { methods in
            let allowed = methods.map(\.rawValue).joined(separator: ", ")
            return { _ in throw HubError.methodNotAllowed(allowed) }
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
            Fallback(prefix: prefix.split(separator: "/"), kind: kind, handler: Route.outsideEventLoop(handler))
        )
    }

    /// The properties of the routes by their paths.
    var kinds: [String: RouteKind] { list.kinds }

    /// The first parts of all paths.
    var areas: Set<String> { list.areas.union(fallbacks.compactMap { $0.prefix.first.map(String.init) }) }

    private mutating func add(
        _ methods: [HTTPRequest.Method],
        _ path: String,
        _ kind: RouteKind,
        _ access: RouteAccess,
        _ handler: @escaping Route.Handler,
        _ describedBy: Description?
    ) {
        list.add(methods, at: path, kind: kind, access: access, use: handler, describedBy: describedBy)
    }
}

extension HubError {
    /// The error for another method than those that an address has, such as "GET, HEAD".
    static func methodNotAllowed(_ allowed: String) -> HubError {
        var error = HubError(
            .unimplemented,
            "This address does not support this method; use \(allowed.replacing(", ", with: " or ")).",
            httpStatus: 405
        )
        error.allowedMethods = allowed
        return error
    }
}
