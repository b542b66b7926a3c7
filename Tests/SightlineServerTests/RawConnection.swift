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

    /// Sends bytes, calls `body`, and closes the connection.
    func send(_ bytes: Data, _ body: () async throws -> Void) async throws {
        try await channel.writeAndFlush(ByteBuffer(bytes: bytes))
        try await body()
        try await channel.close()
    }
}
