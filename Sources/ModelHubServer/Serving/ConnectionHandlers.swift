import NIOCore
import NIOHTTP1

/// Adds the hub's own handlers next to the coder of a new connection, and removes itself.
final class ConnectionHandlers: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = NIOAny

    private let sendings: FileSendings?
    private let writeTimeout: TimeAmount

    /// - Parameter sendings: The files that the connection sends, if it is plain.
    init(sendings: FileSendings?, writeTimeout: TimeAmount) {
        self.sendings = sendings
        self.writeTimeout = writeTimeout
    }

    func handlerAdded(context: ChannelHandlerContext) {
        let pipeline = context.pipeline.syncOperations
        do {
            let decoder = try pipeline.handler(type: ByteToMessageHandler<HTTPRequestDecoder>.self)
            let earlier = EarlierHTTP()
            try pipeline.addHandler(earlier, position: .after(decoder))
            let order = RequestOrder()
            try pipeline.addHandler(order, position: .after(earlier))
            try pipeline.addHandler(ConnectionDeadlines(writeTimeout: writeTimeout), position: .after(order))
            guard let sendings else { return }
            let encoder = try pipeline.handler(type: HTTPResponseEncoder.self)
            try pipeline.addHandler(FileSendingHandler(sendings: sendings), position: .after(encoder))
        } catch {
            context.close(promise: nil)
        }
    }
}
