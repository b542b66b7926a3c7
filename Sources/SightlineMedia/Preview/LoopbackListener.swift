import Foundation
import SightlineLocks

/// A socket that listens on 127.0.0.1. Its owner closes it. Calls on the socket and on its connections do not block.
final class LoopbackListener: Sendable {
    let descriptor: Int32
    let port: Int
    private let isOpen = Mutex(true)

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
        Self.dontWait(descriptor)
        self.descriptor = descriptor
        self.port = Int(UInt16(bigEndian: place.sin_port))
    }

    deinit { close() }

    /// Releases the port.
    func close() {
        let wasOpen = isOpen.withLock { isOpen in
            defer { isOpen = false }
            return isOpen
        }
        if wasOpen { Foundation.close(descriptor) }
    }

    /// Accepts a waiting connection; nil if there is none.
    func accept() -> Int32? {
        let connection = Foundation.accept(descriptor, nil, nil)
        guard connection >= 0 else { return nil }
        Self.dontWait(connection)
        return connection
    }

    static func dontWait(_ descriptor: Int32) {
        _ = fcntl(descriptor, F_SETFL, fcntl(descriptor, F_GETFL) | O_NONBLOCK)
        _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
    }
}

/// The two ends of a pipe. Their owner closes them.
final class FileDescriptorPair: Sendable {
    let reading: Int32
    private let writing: Int32

    init(port: Int) throws(MediaError) {
        var ends: [Int32] = [-1, -1]
        guard pipe(&ends) == 0 else {
            throw .previewUnavailable(port: port, reason: String(cString: strerror(errno)))
        }
        ends.forEach(LoopbackListener.dontWait)
        (reading, writing) = (ends[0], ends[1])
    }

    deinit {
        close(reading)
        close(writing)
    }

    /// Makes the reading end ready. A full pipe is ready anyway.
    func signal() {
        var byte: UInt8 = 0
        _ = write(writing, &byte, 1)
    }

    /// Removes all bytes from the pipe.
    func drain() {
        var bytes = [UInt8](repeating: 0, count: 256)
        while read(reading, &bytes, bytes.count) > 0 {}
    }
}
