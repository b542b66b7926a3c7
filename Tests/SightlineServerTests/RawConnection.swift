import Foundation
import NIOCore
import NIOPosix

/// A connection on which anything can be sent.
struct RawConnection {
    private let channel: any Channel

    static func open(port: Int) async throws -> RawConnection {
        RawConnection(
            channel: try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
                .connect(host: "127.0.0.1", port: port).get()
        )
    }

    /// Sends bytes, and reads until the head of the response is there.
    static func reply(to bytes: Data, port: Int) async throws -> String {
        let channel = try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .connect(host: "127.0.0.1", port: port) { channel in
                channel.eventLoop.makeCompletedFuture {
                    try NIOAsyncChannel<ByteBuffer, ByteBuffer>(wrappingChannelSynchronously: channel)
                }
            }
        return try await channel.executeThenClose { inbound, outbound in
            try await outbound.write(ByteBuffer(bytes: bytes))
            var reply = ""
            for try await piece in inbound {
                reply += String(buffer: piece)
                if reply.contains("\r\n\r\n") { break }
            }
            return reply
        }
    }

    /// Sends bytes, calls `body`, and closes the connection.
    func send(_ bytes: Data, _ body: () async throws -> Void) async throws {
        try await channel.writeAndFlush(ByteBuffer(bytes: bytes))
        try await body()
        try await channel.close()
    }
}
