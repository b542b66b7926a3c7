import NIOCore
import NIOHTTP1

/// Lets in one request of a connection at a time.
///
/// A client may send its next request before it has the answer to the last one (RFC 9112, section 9.3.2). Such a request waits
/// here until that answer is written. If the answer ends the connection, the requests behind it are dropped (section 9.6).
final class RequestOrder: ChannelDuplexHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias InboundOut = HTTPServerRequestPart
    typealias OutboundIn = HTTPServerResponsePart
    typealias OutboundOut = HTTPServerResponsePart

    /// Whether a request was let in that has no whole answer yet.
    private var isAnswering = false
    /// Whether the last request that was let in has arrived as a whole.
    private var isRequestComplete = true
    /// Whether the connection ends behind the answer that is being written.
    private var endsBehindAnswer = false
    /// Whether an answer was written that ends the connection.
    private var isOver = false
    /// The parts of requests that wait. The handler reads no more while there are any, so one read bounds their number.
    private var waitingParts = CircularBuffer<NIOAny>()
    private var isReadWanted = false

    /// Whether the next part belongs to a request that may be handled now.
    private var isOpen: Bool { !isAnswering || !isRequestComplete }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        if isOver { return }
        if waitingParts.isEmpty, isOpen { letIn(data, context) } else { waitingParts.append(data) }
    }

    private func letIn(_ data: NIOAny, _ context: ChannelHandlerContext) {
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
        if case .head(let head) = part, head.endsConnection { endsBehindAnswer = true }
        context.write(data, promise: promise)
        guard case .end = part else { return }
        isAnswering = false
        isOver = endsBehindAnswer
        letInNext(context)
    }

    /// Lets in the request that has waited longest, or drops those that wait if the connection ends.
    private func letInNext(_ context: ChannelHandlerContext) {
        guard !waitingParts.isEmpty else { return }
        if isOver {
            waitingParts.removeAll()
        } else {
            while isOpen, let part = waitingParts.popFirst() { letIn(part, context) }
            context.fireChannelReadComplete()
        }
        if waitingParts.isEmpty, isReadWanted {
            isReadWanted = false
            context.read()
        }
    }
}

extension HTTPResponseHead {
    /// Whether the server closes the connection after this answer.
    var endsConnection: Bool { headers.first(name: "connection") == "close" }
}
