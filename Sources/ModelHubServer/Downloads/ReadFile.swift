import Foundation
import NIOCore

/// A file that is open for reading. It is closed with its last user.
final class ReadFile: Sendable {
    let descriptor: Int32
    let byteCount: Int

    /// Opens a file of the hub itself; links are not followed.
    init(_ url: URL) throws(HubError) {
        descriptor = try SystemCalls.openRegularFile(url.path)
        var status = stat()
        let result = fstat(descriptor, &status)
        byteCount = Int(status.st_size)
        guard result == 0 else { throw SystemCalls.failure("read the model's file", errno) }
    }

    deinit { close(descriptor) }

    /// Reads at least one byte.
    ///
    /// The raw bytes are used safely: the system writes at most the capacity of the buffer.
    func read(_ count: Int, at position: Int) throws -> ByteBuffer {
        var buffer = ByteBufferAllocator().buffer(capacity: count)
        let read = try buffer.writeWithUnsafeMutableBytes(minimumWritableBytes: count) { bytes in
            let read = pread(descriptor, bytes.baseAddress, count, off_t(position))
            guard read > 0 else { throw SystemCalls.failure("read the model's file", errno) }
            return read
        }
        guard read > 0 else { throw SystemCalls.failure("read the model's file", EIO) }
        return buffer
    }
}
