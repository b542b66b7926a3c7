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
        Thread.detachNewThread { [weak self, listener] in
            while true {
                let connection = accept(listener, nil, nil)
                guard connection >= 0 else { return }
                Loopback.send(answer, to: connection)
                if closes { close(connection) } else { self?.connections.withLock { $0.append(connection) } }
            }
        }
    }

    deinit {
        shutdown(listener, Int32(SHUT_RDWR))
        close(listener)
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
        Thread.detachNewThread { [self] in
            while true {
                let client = accept(listener, nil, nil)
                guard client >= 0 else { return }
                guard let server = try? Loopback.connection(port: target, timeout: .seconds(600)) else {
                    close(client)
                    continue
                }
                connections.withLock { $0 += [client, server] }
                Self.pass(from: client, to: server)
                Self.pass(from: server, to: client)
            }
        }
    }

    /// Ends all connections without a word of the client's.
    func cut() {
        shutdown(listener, Int32(SHUT_RDWR))
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
