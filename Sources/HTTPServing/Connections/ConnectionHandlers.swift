import NIOCore
import NIOHTTP1

/// Adds the server's own handlers next to the coder of a new connection.
final class ConnectionHandlers: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = NIOAny

    private let writeTimeout: TimeAmount
    private let closesWithInput: Bool
    private let encoderNeighbor: (any ChannelHandler)?

    /// - Parameters:
    ///   - closesWithInput: Whether the end of a client's bytes means that the client left.
    ///   - encoderNeighbor: The handler next to the encoder of responses, if the server has any.
    init(writeTimeout: TimeAmount, closesWithInput: Bool, encoderNeighbor: (any ChannelHandler)?) {
        self.writeTimeout = writeTimeout
        self.closesWithInput = closesWithInput
        self.encoderNeighbor = encoderNeighbor
    }

    func handlerAdded(context: ChannelHandlerContext) {
        let pipeline = context.pipeline.syncOperations
        do {
            let decoder = try pipeline.handler(type: ByteToMessageHandler<HTTPRequestDecoder>.self)
            let earlier = EarlierHTTP()
            try pipeline.addHandler(earlier, position: .after(decoder))
            let order = RequestOrder()
            try pipeline.addHandler(order, position: .after(earlier))
            let continuation = Continuation()
            try pipeline.addHandler(continuation, position: .after(order))
            let deadlines = ConnectionDeadlines(writeTimeout: writeTimeout, closesWithInput: closesWithInput)
            try pipeline.addHandler(deadlines, position: .after(continuation))
            guard let encoderNeighbor else { return }
            let encoder = try pipeline.handler(type: HTTPResponseEncoder.self)
            try pipeline.addHandler(encoderNeighbor, position: .after(encoder))
        } catch {
            context.close(promise: nil)
        }
    }
}
