import HTTPTypes
import Hummingbird

/// A method and a path with the function that responds, and all that a server's middleware and its description have to know about
/// such requests.
///
/// `Access` says which callers a route is for.
package struct Route<Access: Sendable>: Sendable {
    /// Responds to a request.
    package typealias Handler = @Sendable (APIRequest) async throws -> Response
    /// Makes the description of a route.
    package typealias Description = @Sendable () -> APIOperation

    /// The method.
    package let method: HTTPRequest.Method
    /// The path, as Hummingbird's router takes it.
    package let path: RouterPath
    /// The properties that matter outside the handler.
    package let kind: RouteKind
    /// The callers that the route is for.
    package let access: Access
    /// Responds to requests, on the threads that the kind asks for.
    package let handler: Handler
    /// The description for `/openapi.json`; nil for routes that it leaves out.
    package let describedBy: Description?

    /// Creates a route.
    package init(
        method: HTTPRequest.Method,
        path: RouterPath,
        kind: RouteKind,
        access: Access,
        handler: @escaping Handler,
        describedBy: Description?
    ) {
        (self.method, self.path, self.kind) = (method, path, kind)
        (self.access, self.describedBy) = (access, describedBy)
        self.handler = kind.isQuick ? handler : Self.outsideEventLoop(handler)
    }

    /// A handler that leaves the event loop of its connection to others.
    package static func outsideEventLoop(_ handler: @escaping Handler) -> Handler {
        { request in
            try await BlockingExecutor.run { () async throws -> Response in try await handler(request) }
        }
    }

    /// The path as the description writes it: the name of an object takes the place of any further parts.
    package var describedPath: String {
        let path = path.description.replacing("**", with: "{object}")
        return path.hasPrefix("/") ? path : "/" + path
    }

    /// The description of the route; nil for a route that the description leaves out.
    package var operation: APIOperation? { method == .head ? describedBy?().headOperation : describedBy?() }
}
