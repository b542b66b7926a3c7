import Foundation
import NIOCore
import NIOHTTP1
import NIOPosix
import Synchronization

/// An HTTP server on loopback that answers as a test says, right or wrong.
public final class ScriptedServer: Sendable {
    /// A request that came.
    public struct Request: Sendable {
        /// The path, below the server's address, and the query; of a request to a proxy, the other server's address.
        public let path: String
        /// The header fields.
        public let headers: HTTPHeaders
    }

    /// The answer of the server.
    public struct Reply: Sendable {
        /// The status code.
        public var status: Int
        /// The header fields, without the length.
        public var headers: [(String, String)]
        /// The body.
        public var body: Data
        /// The length that is said; nil for the true one.
        public var announcedLength: Int?
        /// The connection is cut after so many bytes of the body.
        public var cutAfter: Int?
        /// The body is sent in pieces of this size, each a turn of its own.
        public var pieceSize: Int?
        /// The connection stays open and silent after the body.
        public var stalls: Bool

        /// A reply by its parts.
        public init(
            status: Int = 200,
            headers: [(String, String)] = [],
            body: Data = Data(),
            announcedLength: Int? = nil,
            cutAfter: Int? = nil,
            pieceSize: Int? = nil,
            stalls: Bool = false
        ) {
            self.status = status
            self.headers = headers
            self.body = body
            self.announcedLength = announcedLength
            self.cutAfter = cutAfter
            self.pieceSize = pieceSize
            self.stalls = stalls
        }
    }

    private let requestLog = Mutex<[Request]>([])
    private let respond: @Sendable (Request, ScriptedServer) async -> Reply
    private let portNumber = Mutex(0)

    private init(_ respond: @escaping @Sendable (Request, ScriptedServer) async -> Reply) { self.respond = respond }

    /// Begins every path. A client of an earlier server, whose port this server got, does not know it.
    private let prefix = "/\(UInt64.random(in: .min ... .max))"

    /// Where it listens.
    public var port: Int { portNumber.withLock { $0 } }
    /// Its address as a proxy, such as `http://127.0.0.1:40123`.
    public var proxyAddress: String { "http://127.0.0.1:\(port)" }
    /// Its address, such as `http://127.0.0.1:40123/1234`.
    public var address: String { proxyAddress + prefix }
    /// All requests that came, in order.
    public var requests: [Request] { requestLog.withLock { $0 } }

    /// The number of requests for paths that begin so.
    public func count(_ prefix: String) -> Int { requests.filter { $0.path.hasPrefix(prefix) }.count }

    /// Calls `body` while a server answers each request as `respond` says.
    public static func with(
        _ respond: @escaping @Sendable (Request, ScriptedServer) async -> Reply,
        _ body: (ScriptedServer) async throws -> Void
    ) async throws {
        let server = ScriptedServer(respond)
        let channel = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.configureHTTPServerPipeline(withErrorHandling: false)
                    try channel.pipeline.syncOperations.addHandler(Handler(server: server))
                }
            }
            .bind(host: "127.0.0.1", port: 0).get()
        server.portNumber.withLock { $0 = channel.localAddress?.port ?? 0 }
        do {
            try await body(server)
        } catch {
            try await channel.close()
            throw error
        }
        try await channel.close()
    }

    private final class Handler: ChannelInboundHandler, Sendable {
        typealias InboundIn = HTTPServerRequestPart
        typealias OutboundOut = HTTPServerResponsePart

        private let server: ScriptedServer

        init(server: ScriptedServer) { self.server = server }

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            guard case .head(let head) = unwrapInboundIn(data) else { return }
            // A request to a proxy names another server instead of a path.
            guard head.uri.hasPrefix(server.prefix) || !head.uri.hasPrefix("/") else {
                return context.close(promise: nil)
            }
            let path = head.uri.hasPrefix(server.prefix) ? String(head.uri.dropFirst(server.prefix.count)) : head.uri
            let request = Request(path: path, headers: head.headers)
            server.requestLog.withLock { $0.append(request) }
            let (channel, server) = (context.channel, server)
            Task { try? await Self.send(await server.respond(request, server), over: channel) }
        }

        func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }

        private static func send(_ reply: Reply, over channel: any Channel) async throws {
            var headers = HTTPHeaders(reply.headers)
            if reply.status != 304 {
                headers.add(name: "Content-Length", value: "\(reply.announcedLength ?? reply.body.count)")
            }
            let head = HTTPResponseHead(version: .http1_1, status: .init(statusCode: reply.status), headers: headers)
            try await channel.writeAndFlush(HTTPServerResponsePart.head(head))
            let body = reply.body.prefix(reply.cutAfter ?? reply.body.count)
            var position = body.startIndex
            while position < body.endIndex {
                let end = min(position + (reply.pieceSize ?? body.count), body.endIndex)
                let buffer = ByteBuffer(bytes: body[position..<end])
                try await channel.writeAndFlush(HTTPServerResponsePart.body(.byteBuffer(buffer)))
                position = end
            }
            if reply.stalls { return }
            if reply.cutAfter != nil {
                try await channel.close()
                return
            }
            try await channel.writeAndFlush(HTTPServerResponsePart.end(nil))
            // A length that was a lie leaves the connection in an unusable state.
            if reply.announcedLength != nil { try await channel.close() }
        }
    }
}
