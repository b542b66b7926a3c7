import NIOCore
import NIOHTTP1

/// Closes connections whose clients neither finish an answered request nor accept a response, and streams whose clients
/// are gone.
final class ConnectionDeadlines: ChannelDuplexHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias InboundOut = HTTPServerRequestPart
    typealias OutboundIn = HTTPServerResponsePart
    typealias OutboundOut = HTTPServerResponsePart

    /// The rest of an answered request is read and discarded for at most this time, so that the client sees the response. A client
    /// that gets a reset while it sends may never read what it received.
    ///
    /// nginx takes twice this time (`lingering_time`). A stranger can hold a connection so long.
    private static let restTime = TimeAmount.seconds(15)
    /// The bytes of the rest that are read. The operating system keeps further ones, until the client stops.
    private static let restLimit = 16 << 20
    /// A client that sends nothing more of an answered request for this time has seen the response (nginx's `lingering_timeout`).
    private static let restPause = TimeAmount.seconds(5)

    /// A client that accepts no bytes of a response for this time is gone.
    private let writeTimeout: TimeAmount
    private var isRequestComplete = true
    private var closesAfterResponse = false
    /// Whether a response without a fixed length is under way.
    private var isStreaming = false
    private var end: Scheduled<Void>?
    /// When the connection closes at the latest, after the response to a request that is not complete.
    private var restDeadline: NIODeadline?
    private var restByteCount = 0
    /// Whether the response says that the client was too slow. Then the rest has no more than the pause.
    private var wasTooSlow = false
    private var stallCheck: Scheduled<Void>?

    /// Whether the end of a client's bytes means that the client left.
    private let closesWithInput: Bool

    init(writeTimeout: TimeAmount, closesWithInput: Bool) {
        self.writeTimeout = writeTimeout
        self.closesWithInput = closesWithInput
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch unwrapInboundIn(data) {
        case .head: isRequestComplete = false
        case .body(let piece):
            if restDeadline != nil { restByteCount += piece.readableBytes }
        case .end:
            isRequestComplete = true
            end?.cancel()
            (end, restDeadline, restByteCount) = (nil, nil, 0)
        }
        context.fireChannelRead(data)
    }

    func read(context: ChannelHandlerContext) {
        if restByteCount <= Self.restLimit { context.read() }
    }

    func channelReadComplete(context: ChannelHandlerContext) {
        // The client still sends.
        if end != nil { scheduleEnd(context) }
        context.fireChannelReadComplete()
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        switch unwrapOutboundIn(data) {
        case .head(let head):
            closesAfterResponse = head.endsConnection
            wasTooSlow = head.status == .requestTimeout
            isStreaming = !head.headers.contains(name: "content-length")
        case .body: break
        case .end:
            isStreaming = false
            if closesAfterResponse || !isRequestComplete { scheduleEnd(context) }
        }
        context.write(data, promise: promise)
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        // Otherwise a stream without events would not notice that its client is gone.
        if isStreaming || closesWithInput, case .inputClosed? = event as? ChannelEvent { context.close(promise: nil) }
        context.fireUserInboundEventTriggered(event)
    }

    private func scheduleEnd(_ context: ChannelHandlerContext) {
        end?.cancel()
        let now = context.eventLoop.now
        let latest = restDeadline ?? now + (wasTooSlow ? Self.restPause : Self.restTime)
        restDeadline = latest
        let channel = context.channel
        end = context.eventLoop.scheduleTask(deadline: min(now + Self.restPause, latest)) {
            channel.close(promise: nil)
        }
    }

    func channelWritabilityChanged(context: ChannelHandlerContext) {
        stallCheck?.cancel()
        stallCheck = nil
        if !context.channel.isWritable { watch(context) }
        context.fireChannelWritabilityChanged()
    }

    /// Closes the connection unless the client accepts some of the pending bytes in time.
    private func watch(_ context: ChannelHandlerContext) {
        let waiting = Self.waitingBytes(context.channel)
        stallCheck = context.eventLoop.assumeIsolated().scheduleTask(in: writeTimeout) { [self] in
            stallCheck = nil
            if Self.waitingBytes(context.channel) < waiting {
                watch(context)
            } else {
                context.channel.close(promise: nil)
            }
        }
    }

    private static func waitingBytes(_ channel: any Channel) -> Int {
        (try? channel.syncOptions?.getOption(.bufferedWritableBytes)) ?? 0
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        end?.cancel()
        stallCheck?.cancel()
    }
}
