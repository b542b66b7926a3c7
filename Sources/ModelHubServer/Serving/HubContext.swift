import Hummingbird
import Logging
import NIOCore

/// The context of a request, which the middleware completes on the way to the route.
struct HubContext: RequestContext {
    var coreContext: CoreRequestContextStorage
    /// The origin of the request.
    var client: ClientAddress
    /// The connection of the request; nil for commands on the hub's machine.
    var connection: (any Channel)?
    /// The caller if a command on the hub's machine sends the request; nil for requests over the network.
    var local: Identity?
    /// The hub's address for this client, without a trailing slash.
    var base = ""
    /// The limiter that counts the work of the request; nil for unlimited requests.
    var limiter: RateLimiter<ClientNetwork>?
    /// The original path and query.
    var originalTarget = ""
    /// The decoded path and query.
    var target = RequestTarget.root
    /// The kind of the route.
    var kind = RouteKind()

    init(source: ApplicationRequestContextSource) {
        coreContext = CoreRequestContextStorage(source: source)
        client = ClientAddress(source.channel.remoteAddress)
        connection = source.channel
    }

    private struct LocalSource: RequestContextSource {
        let logger: Logger
    }

    /// Creates the context of a command on the hub's machine.
    init(local: Identity, base: String, logger: Logger) {
        coreContext = CoreRequestContextStorage(source: LocalSource(logger: logger))
        client = .local
        self.local = local
        self.base = base
    }
}
