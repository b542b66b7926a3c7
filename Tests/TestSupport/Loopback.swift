import Foundation

/// Sockets on this machine, for servers and clients of tests.
public enum Loopback {
    /// A socket could not be made.
    public struct Failure: Error {}

    #if canImport(Glibc)
        private static let stream = Int32(SOCK_STREAM.rawValue)
    #else
        private static let stream = SOCK_STREAM
    #endif

    private static func place(port: UInt16) -> sockaddr_in {
        var place = sockaddr_in()
        place.sin_family = sa_family_t(AF_INET)
        place.sin_port = port.bigEndian
        place.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        return place
    }

    /// Listens at a free port. The caller closes the socket.
    public static func listener() throws -> (socket: Int32, port: UInt16) {
        let listener = socket(AF_INET, stream, 0)
        var place = place(port: 0)
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isListening = withUnsafeMutablePointer(to: &place) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(listener, $0, size) == 0 && listen(listener, 16) == 0 && getsockname(listener, $0, &size) == 0
            }
        }
        guard isListening else {
            close(listener)
            throw Failure()
        }
        return (listener, UInt16(bigEndian: place.sin_port))
    }

    /// Takes connections on a thread of its own, until ``stop(_:)``.
    public static func accept(at listener: Int32, _ body: @escaping @Sendable (_ connection: Int32) -> Void) {
        Thread.detachNewThread {
            while true {
                let connection = Foundation.accept(listener, nil, nil)
                guard connection >= 0 else {
                    close(listener)
                    return
                }
                body(connection)
            }
        }
    }

    /// Wakes the thread that takes connections, which then closes the socket and ends.
    public static func stop(_ listener: Int32) { shutdown(listener, Int32(SHUT_RDWR)) }

    /// Connects to a port. Reading waits at most for the time of `timeout`. The caller closes the socket.
    public static func connection(port: UInt16, timeout: Duration) throws -> Int32 {
        let connection = socket(AF_INET, stream, 0)
        setReadTimeout(timeout, of: connection)
        var place = place(port: port)
        let isConnected = withUnsafePointer(to: &place) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(connection, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
            }
        }
        guard isConnected else {
            close(connection)
            throw Failure()
        }
        return connection
    }

    /// Limits how long reading from a socket waits.
    public static func setReadTimeout(_ timeout: Duration, of socket: Int32) {
        let milliseconds = Int(timeout / .milliseconds(1))
        var time = timeval()
        time.tv_sec = .init(milliseconds / 1000)
        time.tv_usec = .init(milliseconds % 1000 * 1000)
        setsockopt(socket, SOL_SOCKET, SO_RCVTIMEO, &time, socklen_t(MemoryLayout<timeval>.size))
    }

    /// Sends all bytes, unless the other side goes away.
    public static func send(_ bytes: some Sequence<UInt8>, to connection: Int32) {
        var bytes = Array(bytes)
        while !bytes.isEmpty {
            #if canImport(Darwin)
                let count = Foundation.send(connection, bytes, bytes.count, 0)
            #else
                let count = Foundation.send(connection, bytes, bytes.count, Int32(MSG_NOSIGNAL))
            #endif
            guard count > 0 else { return }
            bytes.removeFirst(count)
        }
    }
}
