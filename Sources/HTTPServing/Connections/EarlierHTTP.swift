import NIOCore
import NIOHTTP1

/// Serves requests of HTTP/1.0, such as the health checks of HAProxy and Nagios.
///
/// Such a request needs no Host header, and its response ends with the connection (RFC 9112, sections 3.2 and 9.3; RFC 1945).
/// The request gets the address at which it arrived as its Host header, so that the rest of the server knows one kind of request.
final class EarlierHTTP: ChannelDuplexHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias InboundOut = HTTPServerRequestPart
    typealias OutboundIn = HTTPServerResponsePart
    typealias OutboundOut = HTTPServerResponsePart

    /// Whether the connection's request is one of HTTP/1.0, after which the connection closes.
    private var isEarlier = false

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard case .head(var head) = unwrapInboundIn(data), head.version == .http1_0 else {
            context.fireChannelRead(data)
            return
        }
        isEarlier = true
        if !head.headers.contains(name: "host"), let host = Self.host(context.localAddress) {
            head.headers.add(name: "host", value: host)
        }
        head.headers.replaceOrAdd(name: "connection", value: "close")
        context.fireChannelRead(wrapInboundOut(.head(head)))
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        guard isEarlier, case .head(var head) = unwrapOutboundIn(data) else {
            context.write(data, promise: promise)
            return
        }
        // Such a client does not know chunks.
        head.version = .http1_0
        context.write(wrapOutboundOut(.head(head)), promise: promise)
    }

    private static func host(_ address: SocketAddress?) -> String? {
        guard let address, let ip = address.ipAddress, let port = address.port else { return nil }
        return ip.contains(":") ? "[\(ip)]:\(port)" : "\(ip):\(port)"
    }
}
