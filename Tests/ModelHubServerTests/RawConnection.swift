import NIOCore
import NIOPosix

/// A connection on which anything can be sent.
struct RawConnection {
    let channel: NIOAsyncChannel<ByteBuffer, ByteBuffer>

    static func open(port: Int) async throws -> RawConnection {
        let channel = try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .connect(host: "127.0.0.1", port: port) { channel in
                channel.eventLoop.makeCompletedFuture {
                    try NIOAsyncChannel<ByteBuffer, ByteBuffer>(wrappingChannelSynchronously: channel)
                }
            }
        return RawConnection(channel: channel)
    }

    var isClosed: Bool { get async { !channel.channel.isActive } }

    /// Sends a text, then a piece again and again until the other side ends it or the time is over.
    func drip(_ text: String, _ piece: String, every pause: Duration, for time: Duration) async {
        let end = ContinuousClock.now + time
        try? await channel.executeThenClose { _, outbound in
            try await outbound.write(ByteBuffer(string: text))
            while ContinuousClock.now < end, channel.channel.isActive {
                try await Task.sleep(for: pause)
                try await outbound.write(ByteBuffer(string: piece))
            }
        }
    }

    /// Sends a text and gives what comes back, up to a text that ends it, or all until the other side ends the connection.
    func exchange(_ text: String, until end: String) async -> String {
        var reply = ""
        try? await channel.executeThenClose { inbound, outbound in
            try await outbound.write(ByteBuffer(string: text))
            for try await piece in inbound {
                reply += String(buffer: piece)
                if reply.contains(end) { return }
            }
        }
        return reply
    }
}
