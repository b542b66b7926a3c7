import NIOCore
import NIOHTTP1

/// Admits one request of a connection at a time.
///
/// A client may send its next request before it has the response to the last request (RFC 9112, section 9.3.2). Such a
/// request waits here until that response is written. If the response closes the connection, the requests behind it are
/// dropped (section 9.6).
final class RequestOrder: ChannelDuplexHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias InboundOut = HTTPServerRequestPart
    typealias OutboundIn = HTTPServerResponsePart
    typealias OutboundOut = HTTPServerResponsePart

    /// Whether an admitted request has no complete response yet.
    private var isAnswering = false
    /// Whether the last admitted request has arrived completely.
    private var isRequestComplete = true
    /// Whether the connection closes after the current response.
    private var closesAfterResponse = false
    /// Whether a response was written that closes the connection.
    private var isOver = false
    /// The parts of waiting requests. The handler reads no more while there are any, so a single read bounds their number.
    /// Hardly any client sends them, so that a connection gets memory for them when they come.
    private var waitingParts = CircularBuffer<NIOAny>(initialCapacity: 1)
    private var isReadWanted = false

    /// Whether the next part belongs to a request that may be handled now.
    private var isOpen: Bool { !isAnswering || !isRequestComplete }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        if isOver { return }
        if waitingParts.isEmpty, isOpen { admit(data, context) } else { waitingParts.append(data) }
    }

    private func admit(_ data: NIOAny, _ context: ChannelHandlerContext) {
        switch unwrapInboundIn(data) {
        case .head: (isAnswering, isRequestComplete) = (true, false)
        case .body: break
        case .end: isRequestComplete = true
        }
        context.fireChannelRead(data)
    }

    func read(context: ChannelHandlerContext) {
        if waitingParts.isEmpty { context.read() } else { isReadWanted = true }
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        let part = unwrapOutboundIn(data)
        if case .head(let head) = part, head.endsConnection { closesAfterResponse = true }
        context.write(data, promise: promise)
        guard case .end = part else { return }
        isAnswering = false
        isOver = closesAfterResponse
        admitNext(context)
    }

    /// Admits the oldest waiting request, or drops all waiting requests if the connection closes.
    private func admitNext(_ context: ChannelHandlerContext) {
        guard !waitingParts.isEmpty else { return }
        if isOver {
            waitingParts.removeAll()
        } else {
            while isOpen, let part = waitingParts.popFirst() { admit(part, context) }
            context.fireChannelReadComplete()
        }
        if waitingParts.isEmpty, isReadWanted {
            isReadWanted = false
            context.read()
        }
    }
}

extension HTTPResponseHead {
    /// Whether the server closes the connection after this response.
    var endsConnection: Bool { headers.first(name: "connection") == "close" }
}
