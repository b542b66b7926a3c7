import Foundation
import NIOCore
import Synchronization

/// A file on this machine that is open for reading. It is closed with its last user.
package final class LocalFile: Sendable {
    /// The path at which it was opened.
    package let path: String
    /// The size in bytes.
    package let byteCount: Int
    /// The open file, which belongs to this object.
    let descriptor: Int32

    /// The size of the pieces of ``bytes(in:)``.
    private static let pieceSize = 128 << 10

    /// Opens a file of the hub itself; links are not followed. Waits for the disk.
    ///
    /// - Throws: `.dataLoss` if it is a link or a device.
    package init(_ url: URL) throws(HubError) {
        path = url.path
        descriptor = try SystemCalls.openRegularFile(path)
        var status = stat()
        let result = fstat(descriptor, &status)
        byteCount = Int(status.st_size)
        guard result == 0 else { throw SystemCalls.failure("read a file", errno) }
    }

    deinit { close(descriptor) }

    /// Reads a part in pieces, on threads that may wait for the disk.
    func bytes(in range: Range<Int>) -> StoredFile.Bytes {
        let position = Position(range.lowerBound)
        return StoredFile.Bytes {
            let start = position.value.withLock { $0 }
            guard start < range.upperBound else { return nil }
            let piece = try await DiskThreads.run {
                try self.read(min(Self.pieceSize, range.upperBound - start), at: start)
            }
            position.value.withLock { $0 = start + piece.readableBytes }
            return piece
        }
    }

    /// Reads a part at once. Waits for the disk.
    func data(in range: Range<Int>) throws -> Data {
        var data = Data(capacity: range.count)
        while data.count < range.count {
            data += try read(range.count - data.count, at: range.lowerBound + data.count).readableBytesView
        }
        return data
    }

    /// The next byte of a stream, whose closure may not have state of its own.
    private final class Position: Sendable {
        let value: Mutex<Int>

        init(_ value: Int) { self.value = Mutex(value) }
    }

    /// Reads at least one byte.
    ///
    /// The raw bytes are used safely: the system writes at most the capacity of the buffer.
    private func read(_ count: Int, at position: Int) throws -> ByteBuffer {
        var buffer = ByteBufferAllocator().buffer(capacity: count)
        let read = try buffer.writeWithUnsafeMutableBytes(minimumWritableBytes: count) { bytes in
            let read = pread(descriptor, bytes.baseAddress, count, off_t(position))
            guard read > 0 else { throw SystemCalls.failure("read a file", errno) }
            return read
        }
        guard read > 0 else { throw SystemCalls.failure("read a file", EIO) }
        return buffer
    }
}
