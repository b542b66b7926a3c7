import Hummingbird
import Logging
import NIOCore

/// The context of a request, which the middleware completes on the way to the route.
package struct ServingContext: RequestContext {
    package var coreContext: CoreRequestContextStorage
    /// The origin of the request.
    package var client: ClientAddress
    /// The connection of the request; nil for commands on the server's machine.
    package var connection: (any Channel)?
    /// The server's address for this client, without a trailing slash.
    package var base = ""
    /// Whether a page of another site sends the request through a browser.
    package var isFromOtherSite = false
    /// Whether the sender knows the server by a name of this machine, as programs on the machine do.
    package var namesThisMachine = true
    /// The limiter that counts the work of the request; nil for unlimited requests.
    package var limiter: RateLimiter<ClientNetwork>?
    /// The original path and query.
    package var originalTarget = ""
    /// The decoded path and query; `/` if they are refused.
    package var target = RequestTarget.root
    /// The reason for refusing the path or the query; nil if they are in order.
    var targetError: RequestError?
    /// The kind of the route.
    package var kind = RouteKind()

    package init(source: ApplicationRequestContextSource) {
        coreContext = CoreRequestContextStorage(source: source)
        client = ClientAddress(source.channel.remoteAddress)
        connection = source.channel
    }

    private struct LocalSource: RequestContextSource {
        let logger: Logger
    }

    /// Creates the context of a command on the server's machine.
    package init(base: String, logger: Logger) {
        coreContext = CoreRequestContextStorage(source: LocalSource(logger: logger))
        client = .local
        self.base = base
    }

    /// Reads the target of a request, for the router and for all that follows.
    ///
    /// - Returns: The request as the router expects it.
    package mutating func readTarget(of request: Request, spelling: RequestTarget.Spelling) -> Request {
        originalTarget = request.head.path ?? "/"
        do throws(RequestError) {
            target = try RequestTarget(originalTarget, spelling: spelling)
        } catch {
            targetError = error
        }
        guard let routable = target.routable else { return request }
        var head = request.head
        head.path = routable
        return Request(head: head, body: request.body)
    }
}

/// The properties of a route that matter outside its handler.
package struct RouteKind: Sendable {
    /// Whether the response is so fast that the other connections of the event loop may wait for it.
    package var isQuick: Bool
    /// The name of the route in the metrics; nil for the first part of the path.
    package var area: String?
    /// Whether apps send such requests all the time without changing anything that an operator watches.
    package var isFromApps: Bool
    /// Whether pages of other sites may send such requests and read the responses. They contain a key, a token or a
    /// signature, and no cookie gives access to them.
    package var isOpenToOtherSites: Bool

    /// Creates a kind.
    package init(
        isQuick: Bool = false,
        area: String? = nil,
        isFromApps: Bool = false,
        isOpenToOtherSites: Bool = false
    ) {
        (self.isQuick, self.area, self.isFromApps) = (isQuick, area, isFromApps)
        self.isOpenToOtherSites = isOpenToOtherSites
    }
}
