import HTTPTypes
import Hummingbird

/// A method and a path with the function that responds, and all that the hub's middleware has to know about such requests.
struct Route: Sendable {
    typealias Handler = @Sendable (APIRequest) async throws -> Response

    let method: HTTPRequest.Method
    let path: RouterPath
    let kind: RouteKind
    let access: RouteAccess
    let handler: Handler
}

/// The callers that a route is for.
enum RouteAccess: Sendable, Hashable {
    /// Its handler decides: it is for everybody, for apps with an API key, or for holders of a signed address.
    case ofHandler
    /// Callers that have a role in the project of the path.
    case project(Role)
    /// Callers that have a role in the whole hub; everybody with a bearer token if the role is nil.
    case hub(Role?)
    /// Users of the console that have a role in the shown project.
    case console(Role)
}

/// The properties of a route that matter outside its handler.
struct RouteKind: Sendable {
    /// Whether the response is so fast that the other connections of the event loop may wait for it.
    var isQuick = false
    /// The name of the route in the metrics; nil for the first part of the path.
    var area: String?
    /// Whether apps send such requests all the time without changing anything that an operator watches.
    var isFromApps = false
    /// Whether pages of other sites may send such requests and read the responses. They contain a key, a token or a
    /// signature, and no cookie gives access to them.
    var isOpenToOtherSites = false
}
