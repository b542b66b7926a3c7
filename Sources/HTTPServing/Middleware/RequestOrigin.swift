import Foundation
import HTTPTypes
import Hummingbird

/// Finds out the sender of a request, by which address the sender reaches the server, and along which kind of route.
package struct RequestOrigin: RouterMiddleware {
    package typealias Context = ServingContext

    private let options: HTTPService.Options
    private let names: LoopbackNames
    private let limiter: RateLimiter<ClientNetwork>?
    private let kinds: [String: RouteKind]

    /// - Parameter kinds: The kinds of the routes by their paths.
    package init(options: HTTPService.Options, kinds: [String: RouteKind]) {
        self.options = options
        self.kinds = kinds
        names = LoopbackNames(and: options.names)
        limiter = options.rateLimit.map { RateLimiter(rate: $0, burst: max($0 * 4, 10)) }
    }

    package func handle(
        _ request: Request,
        context: ServingContext,
        next: (Request, ServingContext) async throws -> Response
    ) async throws -> Response {
        var context = context
        if let client = forwardedClient(of: request) { context.client = client }
        context.base = base(of: request)
        context.isFromOtherSite = Self.isFromOtherSite(request, base: context.base)
        context.namesThisMachine = request.head.authority.map { names.contains($0) } ?? false
        context.limiter = limiter
        if let kind = context.endpointPath.flatMap({ kinds[$0] }) { context.kind = kind }
        return try await next(request, context)
    }

    /// The client according to a trusted proxy.
    private func forwardedClient(of request: Request) -> ClientAddress? {
        guard options.trustsProxy, let list = request.headers[.forwardedFor], let last = list.split(separator: ",").last
        else { return nil }
        return ClientAddress(forwarded: String(last.trimmingCharacters(in: .whitespaces).prefix(64)))
    }

    /// Whether a page of another site sends a request. Programs other than browsers send neither field.
    ///
    /// Newer browsers say how page and server relate (Fetch Metadata Request Headers), except to servers without TLS in other
    /// networks; all name the page's origin in requests that may change something. Pages cannot change these fields.
    private static func isFromOtherSite(_ request: Request, base: String) -> Bool {
        if let site = request.headers[.fetchSite] { return site != "same-origin" && site != "none" }
        guard let origin = request.headers[.origin]?.lowercased() else { return false }
        // A proxy may add TLS, which only --trust-proxy reports to the server.
        func host(_ address: String) -> Substring? { address.range(of: "://").map { address[$0.upperBound...] } }
        return host(origin) == nil || host(origin) != host(base.lowercased())
    }

    /// The server's address for the client.
    private func base(of request: Request) -> String {
        if let address = options.publicAddress { return address }
        var scheme = options.tls == nil ? "http" : "https"
        var host = request.head.authority ?? ""
        if options.trustsProxy {
            if request.headers[.forwardedProtocol] == "https" { scheme = "https" }
            host = request.headers[.forwardedHost] ?? host
        }
        // The text becomes part of issued addresses, so it must contain nothing but a host and a port.
        let isHost =
            (1...255).contains(host.utf8.count)
            && host.utf8.allSatisfy {
                switch $0 {
                case 97...122, 65...90, 48...57, 45, 46, 58, 91, 93, 95: true
                default: false
                }
            }
        return isHost ? "\(scheme)://\(host)" : "\(scheme)://\(options.host):\(options.port)"
    }
}
