import NIOCore
import NIOHTTP1

/// Asks clients that wait for it to send the body of their request (RFC 9110, section 10.1.1). curl, for example, asks before bodies of
/// more than a megabyte, and otherwise waits for a second.
final class Continuation: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias InboundOut = HTTPServerRequestPart
    typealias OutboundOut = HTTPServerResponsePart

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        if case .head(let head) = unwrapInboundIn(data), head.version == .http1_1,
            head.headers.first(name: "expect")?.lowercased() == "100-continue"
        {
            let response = HTTPResponseHead(version: .http1_1, status: .continue)
            context.writeAndFlush(wrapOutboundOut(.head(response)), promise: nil)
        }
        context.fireChannelRead(data)
    }
}
