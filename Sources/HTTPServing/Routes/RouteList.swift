import HTTPTypes
import Hummingbird

/// The routes of a server.
///
/// A path is written as for Hummingbird's router: `{name}` stands for a part of the path, `{name}:verb` for a part with
/// a custom method of Google's APIs, and `**` at the end for any further parts.
package struct RouteList<Access: Sendable>: Sendable {
    /// The routes, in the order in which they were added.
    package private(set) var routes: [Route<Access>] = []

    /// Creates a list without routes.
    package init() {}

    /// The usual methods of HTTP (RFC 9110, section 9.3; RFC 5789).
    package static var usualMethods: [HTTPRequest.Method] {
        [.get, .head, .post, .put, .patch, .delete, .options, .trace, .connect]
    }

    /// Adds a route for some methods. It counts in the metrics under the first part of its path, unless its kind says otherwise.
    package mutating func add(
        _ methods: [HTTPRequest.Method],
        at path: String,
        kind: RouteKind,
        access: Access,
        use handler: @escaping Route<Access>.Handler,
        describedBy: Route<Access>.Description?
    ) {
        var kind = kind
        kind.area = kind.area ?? Self.area(of: path)
        let routerPath = RouterPath(path)
        for method in methods {
            routes.append(
                Route(
                    method: method,
                    path: routerPath,
                    kind: kind,
                    access: access,
                    handler: handler,
                    describedBy: describedBy
                )
            )
        }
    }

    /// Rejects the methods that the previous routes with a path leave.
    ///
    /// - Parameters:
    ///   - access: the access of everybody.
    ///   - refusal: makes the error's response from the methods that the path has, as the field Allow lists them (RFC 9110, section
    ///     15.5.6).
    package mutating func refuseOtherMethods(
        at path: String,
        access: Access,
        use refusal: @Sendable (_ allowed: String) -> Route<Access>.Handler
    ) {
        let routerPath = RouterPath(path)
        let known = routes.filter { $0.path == routerPath }
        let left = Self.usualMethods.filter { method in !known.contains { $0.method == method } }
        let handler = refusal(known.map(\.method.rawValue).joined(separator: ", "))
        add(left, at: path, kind: known.first?.kind ?? RouteKind(), access: access, use: handler, describedBy: nil)
    }

    /// The properties of the routes by their paths.
    package var kinds: [String: RouteKind] {
        Dictionary(routes.map { ($0.path.description, $0.kind) }) { first, _ in first }
    }

    /// The first parts of all paths.
    package var areas: Set<String> { Set(routes.compactMap { Self.area(of: $0.path.description) }) }

    private static func area(of path: String) -> String? { path.split(separator: "/").first.map(String.init) }
}
