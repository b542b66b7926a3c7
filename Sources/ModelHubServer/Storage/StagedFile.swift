import Crypto
import Foundation
import NIOCore

/// A file that is being received: written aside, hashed on the way, removed when it is given up.
///
/// Not thread-safe by itself: one request writes it at a time.
final class StagedFile {
    /// What was received, once it is whole.
    struct Summary: Sendable, Hashable {
        var hash: BlobHash
        var byteCount: Int
        /// As the storage API gives it.
        var crc32c: String
        /// As the storage API gives it: base64.
        var md5: String
    }

    let url: URL
    private(set) var byteCount = 0
    private let limit: Int
    private var descriptor: Int32
    private var sha256 = SHA256()
    private var md5 = Insecure.MD5()
    private var crc32c = CRC32C()

    /// A new empty file.
    ///
    /// - Parameter limit: how many bytes it may have.
    init(in folder: URL, limit: Int) throws(HubError) {
        url = folder.appending(path: "\(Hexadecimal.text(RandomBytes.make(16))).part")
        self.limit = limit
        descriptor = open(url.path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else { throw SystemCalls.failure("store the file", errno) }
    }

    deinit {
        if descriptor >= 0 { close(descriptor) }
        // After `BlobStore.store` it is no longer there.
        unlink(url.path)
    }

    /// Writes at the end.
    func append(_ bytes: UnsafeRawBufferPointer) throws(HubError) {
        guard bytes.count <= limit - byteCount else {
            throw HubError(
                .resourceExhausted,
                "The file has more than the \(limit) bytes that this hub takes; see --max-model-size of `sightline hub serve`."
            )
        }
        try SystemCalls.write(bytes, to: descriptor)
        sha256.update(bufferPointer: bytes)
        md5.update(bufferPointer: bytes)
        crc32c.update(bytes)
        byteCount += bytes.count
    }

    /// Writes at the end.
    func append(_ buffer: ByteBuffer) throws(HubError) {
        let result: Result<Void, HubError> = buffer.withUnsafeReadableBytes { bytes in
            Result { () throws(HubError) in try append(bytes) }
        }
        try result.get()
    }

    /// Returns what was received when it is on the disk.
    func finish() throws(HubError) -> Summary {
        guard fsync(descriptor) == 0 else { throw SystemCalls.failure("store the file", errno) }
        close(descriptor)
        descriptor = -1
        return Summary(
            hash: BlobHash(sha256.finalize()),
            byteCount: byteCount,
            crc32c: crc32c.base64,
            md5: Data(md5.finalize()).base64EncodedString()
        )
    }
}
