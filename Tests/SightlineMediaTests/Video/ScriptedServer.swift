import Foundation
import SightlineTestSupport
import Synchronization

/// A server on this machine that does with each connection what a test says, each on a thread of its own.
final class ScriptedServer: Sendable {
    struct Connection: Sendable {
        fileprivate let descriptor: Int32
        fileprivate let server: Unowned
        fileprivate let request: String

        /// The first byte that the request wants.
        var rangeStart: Int? {
            request.firstMatch(of: /[Rr]ange: bytes=([0-9]+)-/).flatMap { Int($0.1) }
        }

        func send(_ data: Data) {
            Loopback.send(data, to: descriptor)
        }

        /// Stays silent until the client goes or the test is over.
        func stall() {
            var byte: UInt8 = 0
            while !server.isOver {
                let count = recv(descriptor, &byte, 1, 0)
                if count == 0 || count < 0 && errno != EAGAIN && errno != EWOULDBLOCK { return }
            }
        }
    }

    /// Outlives the server, so that its threads see its end.
    final class Unowned: Sendable {
        private let state = Mutex(false)
        var isOver: Bool { state.withLock { $0 } }
        func end() { state.withLock { $0 = true } }
    }

    let address: String
    private let listener: Int32
    private let life = Unowned()

    /// - Parameter script: gets the number of the connection, from 0, whose request has been read.
    init(_ script: @escaping @Sendable (Int, Connection) -> Void) throws {
        let (listener, port) = try Loopback.listener()
        self.listener = listener
        address = "http://127.0.0.1:\(port)"
        Thread.detachNewThread { [life] in
            var number = 0
            while true {
                let connection = accept(listener, nil, nil)
                guard connection >= 0 else {
                    close(listener)
                    return
                }
                let current = number
                number += 1
                Thread.detachNewThread {
                    Loopback.setReadTimeout(.milliseconds(100), of: connection)
                    var request = [UInt8](repeating: 0, count: 8192)
                    let count = recv(connection, &request, request.count, 0)
                    let text = String(decoding: request.prefix(max(count, 0)), as: UTF8.self)
                    script(current, Connection(descriptor: connection, server: life, request: text))
                    close(connection)
                }
            }
        }
    }

    deinit {
        life.end()
        shutdown(listener, Int32(SHUT_RDWR))
    }
}
