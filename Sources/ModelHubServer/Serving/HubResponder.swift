import Foundation
import HTTPTypes
import Hummingbird
import Logging
import NIOCore

/// The context of a request.
struct HubContext: RequestContext {
    var coreContext: CoreRequestContextStorage
    let peer: SocketAddress?

    init(source: ApplicationRequestContextSource) {
        coreContext = CoreRequestContextStorage(source: source)
        peer = source.channel.remoteAddress
    }
}

/// Passes requests to the API, unless their client sends too many, and counts and logs them.
struct HubResponder: HTTPResponder {
    let api: HubAPI
    let options: HubServer.Options

    func respond(to request: Request, context: HubContext) async throws -> Response {
        let start = ContinuousClock.now
        let client = client(of: request, context)
        var kind = RequestKind.other
        var response: Response
        do throws(HubError) {
            // Checked before the request is parsed.
            if let wait = api.limiter?.wait(for: client.network) { throw .tooMany("requests", wait: wait) }
            try Self.checkHost(request)
            let request = try APIRequest(
                request,
                client: client,
                limiter: api.limiter,
                local: nil,
                base: base(of: request)
            )
            kind = request.kind
            response = await api.respond(to: request, logger: context.logger)
        } catch {
            response = error.response
            // The error tells nothing about the hub, and a page of another site must learn how long to wait.
            CrossOrigin.open(&response)
        }
        if response.status.code >= 400, Self.hasLargeBody(request) { response.headers[.connection] = "close" }
        response.headers[.xContentTypeOptions] = "nosniff"
        if options.tls != nil { response.headers[.strictTransportSecurity] = "max-age=31536000" }
        let duration = ContinuousClock.now - start
        let status = response.status.code
        api.metrics.count(
            area: Self.area(of: request.uri.path, kind),
            method: request.method.rawValue,
            status: status,
            duration: duration
        )
        let isChange = request.method != .get && request.method != .head && !kind.isFromApps
        context.logger.log(
            level: isChange || status >= 500 ? .info : .debug,
            "request",
            metadata: [
                // Without the query, which may contain keys and signatures.
                "method": "\(request.method)", "path": "\(request.uri.path)", "status": "\(status)",
                "peer": "\(client)", "milliseconds": "\(duration / .milliseconds(1))",
            ]
        )
        return response
    }

    /// Rejects a request with no Host header or with several, because a proxy might use another one (RFC 9112, section
    /// 3.2).
    private static func checkHost(_ request: Request) throws(HubError) {
        guard request.head.authority != nil, request.headers[.furtherHost] == nil else {
            throw HubError(.invalidArgument, "A request must have exactly one Host header.")
        }
    }

    /// The kind of a path, out of a few kinds.
    private static func area(of path: String, _ kind: RequestKind) -> String {
        switch kind {
        case .configFetch: return "config-fetch"
        case .downloadInfo: return "download-info"
        case .health, .file, .outcomes, .other: break
        }
        let first = path.utf8.drop { $0 == UInt8(ascii: "/") }.prefix { $0 != UInt8(ascii: "/") }
        return areas.first { $0.utf8.elementsEqual(first) } ?? "other"
    }

    private static let areas = [
        "v1beta2", "files", "v1", "upload", "storage", "resumable", "download", "hub", "token", "healthz", "readyz",
        "metrics", "console",
    ]

    private static func hasLargeBody(_ request: Request) -> Bool {
        if request.headers[.transferEncoding] != nil { return true }
        return request.headers[.contentLength].flatMap { Int($0) } ?? 0 > APIRequest.smallBodyLimit
    }

    private func client(of request: Request, _ context: HubContext) -> ClientAddress {
        guard options.trustsProxy, let list = request.headers[.forwardedFor], let last = list.split(separator: ",").last
        else { return ClientAddress(context.peer) }
        return ClientAddress(forwarded: String(last.trimmingCharacters(in: .whitespaces).prefix(64)))
    }

    /// The hub's address for the client.
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
