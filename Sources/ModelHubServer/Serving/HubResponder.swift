import Foundation
import HTTPTypes
import Hummingbird
import Logging
import NIOCore

/// What is known of a request besides itself.
struct HubContext: RequestContext {
    var coreContext: CoreRequestContextStorage
    let peer: String
    let channel: any Channel

    init(source: ApplicationRequestContextSource) {
        coreContext = CoreRequestContextStorage(source: source)
        channel = source.channel
        peer = source.channel.remoteAddress?.ipAddress ?? "unknown"
    }
}

/// Hands requests to the API, and counts and logs them.
struct HubResponder: HTTPResponder {
    let api: HubAPI
    let options: HubServer.Options

    func respond(to request: Request, context: HubContext) async throws -> Response {
        let start = ContinuousClock.now
        let peer = peer(of: request, context)
        var response: Response
        do throws(HubError) {
            let request = try APIRequest(request, peer: peer, local: nil, base: base(of: request))
            response = await api.respond(to: request, logger: context.logger)
        } catch {
            response = error.response
        }
        if response.status.code >= 400, Self.hasLargeBody(request) { response.headers[.connection] = "close" }
        if response.headers[.connection] == "close" {
            // What is left of the body is read away, so that the client sees the answer; but not for long.
            context.channel.eventLoop.scheduleTask(in: .seconds(3)) { context.channel.close(promise: nil) }
        }
        let duration = ContinuousClock.now - start
        let status = response.status.code
        api.metrics.count(
            area: Self.area(of: request.uri.path),
            method: request.method.rawValue,
            status: status,
            duration: duration
        )
        let isChange =
            request.method != .get && request.method != .head && !HubAPI.isAskedByApps(path: request.uri.path)
        context.logger.log(
            level: isChange || status >= 500 ? .info : .debug,
            "request",
            metadata: [
                // Without the query, which may hold keys and signatures.
                "method": "\(request.method)", "path": "\(request.uri.path)", "status": "\(status)", "peer": "\(peer)",
                "milliseconds": "\(duration / .milliseconds(1))",
            ]
        )
        return response
    }

    /// The kind of a path, of which there are few.
    private static func area(of path: String) -> String {
        let first = path.utf8.drop { $0 == UInt8(ascii: "/") }.prefix { $0 != UInt8(ascii: "/") }
        guard let area = areas.first(where: { $0.utf8.elementsEqual(first) }) else { return "other" }
        if path.hasSuffix(":fetch") { return "config-fetch" }
        return path.hasSuffix(":download") ? "download-info" : area
    }

    private static let areas = [
        "v1beta2", "files", "v1", "upload", "storage", "resumable", "download", "hub", "token", "healthz", "readyz",
        "metrics", "console",
    ]

    private static func hasLargeBody(_ request: Request) -> Bool {
        if request.headers[.transferEncoding] != nil { return true }
        return request.headers[.contentLength].flatMap { Int($0) } ?? 0 > APIRequest.smallBodyLimit
    }

    private func peer(of request: Request, _ context: HubContext) -> String {
        guard options.trustsProxy, let list = request.headers[.forwardedFor], let last = list.split(separator: ",").last
        else {
            return context.peer
        }
        return String(last.trimmingCharacters(in: .whitespaces).prefix(64))
    }

    /// The hub's address as the client reaches it.
    private func base(of request: Request) -> String {
        if let address = options.publicAddress { return address }
        var scheme = options.tls == nil ? "http" : "https"
        var host = request.head.authority ?? ""
        if options.trustsProxy {
            if request.headers[.forwardedProtocol] == "https" { scheme = "https" }
            host = request.headers[.forwardedHost] ?? host
        }
        // It goes into addresses that are given out, so that nothing but a host and a port may be in it.
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
