import HTTPServing

/// A route of the hub.
typealias Route = HTTPServing.Route<RouteAccess>

/// The callers that a route is for.
enum RouteAccess: Sendable, Hashable {
    /// Callers with a proof that the handler checks itself.
    case ofHandler(HandlerProof)
    /// Callers that have a role in the project of the path.
    case project(Role)
    /// Callers that have a role in the whole hub; everybody with a bearer token if the role is nil.
    case hub(Role?)
    /// Users of the console that have a role in the shown project.
    case console(Role)
}

/// The proofs of access that handlers check themselves.
enum HandlerProof: Sendable, Hashable {
    /// The route is for everybody, or for holders of a signed address.
    case nothing
    /// The API key of an app, with an installation token in projects that require it; or a token with a role.
    case app(Role)
    case apiKey
    /// An API key with the refresh token of an installation.
    case installation
    /// The token for metrics, if there is one.
    case metricsToken
}
