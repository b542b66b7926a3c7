import Foundation

#if canImport(Darwin)
    import Darwin
#endif

/// A socket that listens on 127.0.0.1. One thread uses it, and closes it.
final class LoopbackListener: Sendable {
    let port: Int
    private let descriptor: Int32

    init(port: Int) throws(MediaError) {
        guard let number = UInt16(exactly: port) else {
            throw .previewUnavailable(port: port, reason: "the port must be 0 to 65,535")
        }
        #if canImport(Glibc)
            let kind = Int32(SOCK_STREAM.rawValue)
        #else
            let kind = SOCK_STREAM
        #endif
        let descriptor = socket(AF_INET, kind, 0)
        guard descriptor >= 0 else { throw .previewUnavailable(port: port, reason: String(cString: strerror(errno))) }
        var yes: Int32 = 1
        setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &yes, socklen_t(MemoryLayout<Int32>.size))
        var place = sockaddr_in()
        place.sin_family = sa_family_t(AF_INET)
        place.sin_port = number.bigEndian
        place.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        // The address lives through the calls, and its size is that of its type.
        let isListening = withUnsafeMutablePointer(to: &place) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(descriptor, $0, size) == 0 && listen(descriptor, 16) == 0
                    && getsockname(descriptor, $0, &size) == 0
            }
        }
        guard isListening else {
            let code = errno
            Foundation.close(descriptor)
            throw .previewUnavailable(port: port, reason: String(cString: strerror(code)))
        }
        // A browser that leaves before it is accepted must not block the thread.
        _ = fcntl(descriptor, F_SETFL, fcntl(descriptor, F_GETFL) | O_NONBLOCK)
        _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
        self.descriptor = descriptor
        self.port = Int(UInt16(bigEndian: place.sin_port))
    }

    /// Releases the port.
    func close() { Foundation.close(descriptor) }

    /// Waits for a connection for at most a quarter of a second.
    ///
    /// - Returns: the connection, on which a call blocks for at most half a minute; nil if none came.
    func accept() -> Int32? {
        var entry = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        guard poll(&entry, 1, 250) > 0 else { return nil }
        let connection = Foundation.accept(descriptor, nil, nil)
        guard connection >= 0 else {
            // A process that may open no further file waits until it may.
            if errno == EMFILE || errno == ENFILE { Thread.sleep(forTimeInterval: 0.1) }
            return nil
        }
        // Apple's systems give it the flags of the listening socket.
        _ = fcntl(connection, F_SETFL, fcntl(connection, F_GETFL) & ~O_NONBLOCK)
        _ = fcntl(connection, F_SETFD, FD_CLOEXEC)
        var (receiving, sending) = (timeval(tv_sec: 5, tv_usec: 0), timeval(tv_sec: 30, tv_usec: 0))
        let size = socklen_t(MemoryLayout<timeval>.size)
        setsockopt(connection, SOL_SOCKET, SO_RCVTIMEO, &receiving, size)
        setsockopt(connection, SOL_SOCKET, SO_SNDTIMEO, &sending, size)
        #if canImport(Darwin)
            var yes: Int32 = 1
            setsockopt(connection, SOL_SOCKET, SO_NOSIGPIPE, &yes, socklen_t(MemoryLayout<Int32>.size))
        #endif
        return connection
    }
}
