import Crypto
import Foundation
import NIOCore

/// A file that is being received: written aside, hashed on the way, and, unless it belongs to an upload in several requests,
/// removed when it is given up.
///
/// Not thread-safe by itself: one request writes it at a time. The raw bytes are sound: the system fills at most the buffer, and
/// what it filled is read while the buffer lives.
final class StagedFile {
    /// What was received, once it is whole.
    struct Summary: Sendable, Hashable, Codable {
        var hash: BlobHash
        var byteCount: Int
        /// As the storage API gives it.
        var crc32c: String
        /// As the storage API gives it: base64.
        var md5: String
    }

    let url: URL
    /// Its bytes in the project's quota; nil for a file of the hub's own.
    let entry: UploadLedger.Entry?
    private(set) var byteCount = 0
    private var synchronizedByteCount = 0
    private let limit: Int
    private let isKept: Bool
    private var descriptor: Int32
    private var sha256 = SHA256()
    private var md5 = Insecure.MD5()
    private var crc32c = CRC32C()

    /// A new empty file.
    ///
    /// - Parameters:
    ///   - limit: how many bytes it may have.
    ///   - entry: where its bytes count.
    init(in folder: URL, limit: Int, entry: UploadLedger.Entry? = nil) throws(HubError) {
        self.entry = entry
        url = folder.appending(path: "\(Hexadecimal.text(RandomBytes.make(16))).part")
        self.limit = limit
        isKept = false
        descriptor = open(url.path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else { throw SystemCalls.failure("store the file", errno) }
    }

    /// The file of an upload in several requests, with what it has of earlier ones. It stays until somebody removes it.
    init(continuing url: URL, limit: Int, entry: UploadLedger.Entry? = nil) async throws {
        self.url = url
        self.entry = entry
        self.limit = limit
        isKept = true
        descriptor = open(url.path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else { throw SystemCalls.failure("store the file", errno) }
        while try readPiece() {
            // A large file must not keep others from running.
            await Task.yield()
        }
        entry?.set(byteCount)
    }

    deinit {
        if descriptor >= 0 { close(descriptor) }
        // After `BlobStore.store` it is no longer there.
        if !isKept { unlink(url.path) }
    }

    /// Takes the next piece of what is there already into account; false at the end.
    private func readPiece() throws(HubError) -> Bool {
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 18, alignment: 16)
        defer { buffer.deallocate() }
        let count = read(descriptor, buffer.baseAddress, buffer.count)
        if count < 0, errno == EINTR { return true }
        guard count >= 0 else { throw SystemCalls.failure("read the file", errno) }
        note(UnsafeRawBufferPointer(rebasing: buffer[..<count]))
        return count > 0
    }

    /// Writes at the end.
    func append(_ bytes: UnsafeRawBufferPointer) throws(HubError) {
        guard bytes.count <= limit - byteCount else {
            throw HubError(
                .resourceExhausted,
                "The file has more than the \(limit) bytes that this hub takes; see --max-model-size of `sightline hub serve`."
            )
        }
        try entry?.add(bytes.count)
        do throws(HubError) {
            try SystemCalls.write(bytes, to: descriptor)
        } catch {
            // A part of it may be there, of which nothing is known.
            ftruncate(descriptor, off_t(byteCount))
            lseek(descriptor, off_t(byteCount), SEEK_SET)
            entry?.set(byteCount)
            throw error
        }
        note(bytes)
    }

    private func note(_ bytes: UnsafeRawBufferPointer) {
        sha256.update(bufferPointer: bytes)
        md5.update(bufferPointer: bytes)
        crc32c.update(bytes)
        byteCount += bytes.count
    }

    /// Returns when what has come so far is on the disk.
    func synchronize() throws(HubError) {
        guard synchronizedByteCount < byteCount || byteCount == 0 else { return }
        guard fsync(descriptor) == 0 else { throw SystemCalls.failure("store the file", errno) }
        synchronizedByteCount = byteCount
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
        try synchronize()
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
