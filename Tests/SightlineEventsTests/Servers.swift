import Foundation
import SightlineTestSupport
import Synchronization

/// A server that sends the same bytes to each connection and ignores what it receives.
final class AnsweringServer: Sendable {
    let port: UInt16
    private let listener: Int32
    private let connections = Mutex<[Int32]>([])

    init(_ answer: [UInt8], closes: Bool) throws {
        (listener, port) = try Loopback.listener()
        Loopback.accept(at: listener) { [weak self] connection in
            Loopback.send(answer, to: connection)
            if closes { close(connection) } else { self?.connections.withLock { $0.append(connection) } }
        }
    }

    deinit {
        Loopback.stop(listener)
        connections.withLock { $0.forEach { close($0) } }
    }
}

/// Passes bytes between clients and a server, until it is cut.
final class CutProxy: Sendable {
    let port: UInt16
    private let listener: Int32
    private let connections = Mutex<[Int32]>([])

    init(to target: UInt16) throws {
        (listener, port) = try Loopback.listener()
        Loopback.accept(at: listener) { [self] client in
            guard let server = try? Loopback.connection(port: target, timeout: .seconds(600)) else {
                close(client)
                return
            }
            connections.withLock { $0 += [client, server] }
            Self.pass(from: client, to: server)
            Self.pass(from: server, to: client)
        }
    }

    /// Ends all connections without a word of the client's.
    func cut() {
        Loopback.stop(listener)
        connections.withLock { $0.forEach { shutdown($0, Int32(SHUT_RDWR)) } }
    }

    private static func pass(from source: Int32, to target: Int32) {
        Thread.detachNewThread {
            var buffer = [UInt8](repeating: 0, count: 4096)
            while case let count = recv(source, &buffer, buffer.count, 0), count > 0 {
                Loopback.send(buffer.prefix(count), to: target)
            }
            shutdown(target, Int32(SHUT_RDWR))
        }
    }
}
