import Foundation
import NIOCore

/// A file of a store, open for reading. It stays readable after it was removed from the store.
package struct StoredFile: Sendable {
    /// The bytes of a part in pieces, read as fast as they are consumed.
    package typealias Bytes = AsyncThrowingStream<ByteBuffer, any Error>

    /// The size in bytes.
    package let byteCount: Int
    /// The file itself, if the store keeps it on this machine. The kernel can then send it to a socket, and other
    /// processes can read it.
    package let local: LocalFile?
    private let read: @Sendable (Range<Int>) -> Bytes

    /// Creates a remote file.
    ///
    /// - Parameters:
    ///   - byteCount: The size in bytes.
    ///   - read: Reads a range of bytes, which lies in the file.
    package init(byteCount: Int, read: @escaping @Sendable (Range<Int>) -> Bytes) {
        self.byteCount = byteCount
        self.read = read
        local = nil
    }

    /// Creates a file on this machine.
    package init(_ file: LocalFile) {
        byteCount = file.byteCount
        read = { file.bytes(in: $0) }
        local = file
    }

    /// The bytes of a part, which is limited to the file.
    package func bytes(in range: Range<Int>) -> Bytes { read(range.clamped(to: 0..<byteCount)) }

    /// All bytes.
    package var bytes: Bytes { bytes(in: 0..<byteCount) }

    /// All bytes of a file that fits into memory.
    func data() async throws -> Data {
        var data = Data(capacity: byteCount)
        for try await piece in bytes { data += piece.readableBytesView }
        return data
    }
}

extension Hub {
    /// Calls a function with the path of a stored file, for another process. A remote file is copied for
    /// the duration of the call.
    func withPath<Result: Sendable>(
        of file: StoredFile,
        _ body: @Sendable (String) async throws -> Result
    ) async throws -> Result {
        if let local = file.local {
            // A cache removes no file that is open.
            defer { withExtendedLifetime(local) {} }
            return try await body(local.path)
        }
        let copy = try StagedFile(in: uploads, limit: file.byteCount)
        for try await piece in file.bytes { try copy.append(piece) }
        defer { withExtendedLifetime(copy) {} }
        return try await body(copy.url.path)
    }
}
