import NIOCore
import NIOHTTP1

/// Ends connections of clients that neither finish a request that was answered nor take an answer, and lets in one request at a
/// time: a request that was sent before its sender saw the answer to the last one waits, and is dropped if that answer ends the
/// connection (RFC 9112, section 9.6).
final class ConnectionDeadlines: ChannelDuplexHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias InboundOut = HTTPServerRequestPart
    typealias OutboundIn = HTTPServerResponsePart
    typealias OutboundOut = HTTPServerResponsePart

    /// What is left of a request behind its answer is read away for this time, so that the client sees the answer.
    private static let restTime = TimeAmount.seconds(3)

    /// A client that takes nothing of an answer for this time is gone.
    private let writeTimeout: TimeAmount
    private var unansweredRequests = 0
    private var isRequestComplete = true
    private var closesBehindAnswer = false
    /// Whether an answer was written that the connection ends behind.
    private var isClosing = false
    /// The parts of requests that wait. No more is read while there are any, so that they are what one read gave.
    private var waitingParts = CircularBuffer<NIOAny>()
    private var isReadWanted = false
    private var end: Scheduled<Void>?
    private var stallCheck: Scheduled<Void>?

    init(writeTimeout: TimeAmount) { self.writeTimeout = writeTimeout }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        if isClosing { return }
        if waitingParts.isEmpty, unansweredRequests == 0 || !isRequestComplete {
            letIn(data, context)
        } else {
            waitingParts.append(data)
        }
    }

    private func letIn(_ data: NIOAny, _ context: ChannelHandlerContext) {
        switch unwrapInboundIn(data) {
        case .head:
            unansweredRequests += 1
            isRequestComplete = false
        case .body: break
        case .end:
            isRequestComplete = true
            end?.cancel()
            end = nil
        }
        context.fireChannelRead(data)
    }

    func read(context: ChannelHandlerContext) {
        if waitingParts.isEmpty { context.read() } else { isReadWanted = true }
    }

    /// Lets in the request that has waited longest, or drops those that wait if the connection ends.
    private func letInNext(_ context: ChannelHandlerContext) {
        guard !waitingParts.isEmpty else { return }
        if isClosing {
            waitingParts.removeAll()
        } else {
            while unansweredRequests == 0 || !isRequestComplete, let part = waitingParts.popFirst() {
                letIn(part, context)
            }
            context.fireChannelReadComplete()
        }
        if waitingParts.isEmpty, isReadWanted {
            isReadWanted = false
            context.read()
        }
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        var isEnd = false
        switch unwrapOutboundIn(data) {
        case .head(let head):
            if head.headers.first(name: "connection") == "close" { closesBehindAnswer = true }
        case .end:
            isEnd = true
            unansweredRequests -= 1
            isClosing = closesBehindAnswer
            if isClosing || (!isRequestComplete && unansweredRequests == 0) { scheduleEnd(context) }
        case .body: break
        }
        context.write(data, promise: promise)
        if isEnd { letInNext(context) }
    }

    private func scheduleEnd(_ context: ChannelHandlerContext) {
        guard end == nil else { return }
        let channel = context.channel
        end = context.eventLoop.scheduleTask(in: Self.restTime) { channel.close(promise: nil) }
    }

    func channelWritabilityChanged(context: ChannelHandlerContext) {
        stallCheck?.cancel()
        stallCheck = nil
        if !context.channel.isWritable { watch(context) }
        context.fireChannelWritabilityChanged()
    }

    /// Closes the connection unless some of what waits to be sent is taken in time.
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
