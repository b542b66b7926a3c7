import Crypto
import Foundation
import NIOCore

/// A file that is being received: written to a temporary path, hashed meanwhile, and, unless it belongs to a resumable
/// upload, removed if it is abandoned.
///
/// It is not thread-safe: only one request may write it at a time. The raw bytes are used safely: the system fills at
/// most the buffer, and the buffer lives while its bytes are read.
final class StagedFile {
    let url: URL
    /// Its bytes in the project's quota; nil for a file of the hub itself.
    let entry: UploadLedger.Entry?
    private(set) var byteCount = 0
    private var synchronizedByteCount = 0
    private let limit: Int
    /// The bytes before those of this file, which count toward the limit too.
    private let precedingByteCount: Int
    /// Whether the file belongs to a resumable upload, and stays until it is removed explicitly.
    let isKept: Bool
    private var descriptor: Int32
    private var sha256 = SHA256()
    private var md5 = Insecure.MD5()
    private var crc32c = CRC32C()

    /// Creates a new empty file.
    ///
    /// - Parameters:
    ///   - limit: The maximum size in bytes.
    ///   - precedingByteCount: The number of bytes before this file's, if it is a part of a file.
    ///   - entry: The ledger entry that counts its bytes.
    init(
        in folder: URL,
        limit: Int,
        after precedingByteCount: Int = 0,
        entry: UploadLedger.Entry? = nil
    ) throws(HubError) {
        self.entry = entry
        url = folder.appending(path: "\(RandomBytes.make(16).hexadecimalText).part")
        self.limit = limit
        self.precedingByteCount = precedingByteCount
        isKept = false
        descriptor = open(url.path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else { throw SystemCalls.failure("store the file", errno) }
    }

    /// Opens the file of a resumable upload with its existing bytes, which the ledger's entry does not count.
    init(continuing url: URL, limit: Int, entry: UploadLedger.Entry? = nil) async throws {
        self.url = url
        self.entry = entry
        self.limit = limit
        precedingByteCount = 0
        isKept = true
        descriptor = open(url.path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else { throw SystemCalls.failure("store the file", errno) }
        while try readPiece() {
            // A large file must not prevent other tasks from running.
            await Task.yield()
        }
    }

    deinit {
        if descriptor >= 0 { close(descriptor) }
        // `BlobStore.store` moves the file away.
        if !isKept { unlink(url.path) }
    }

    /// Adds the next piece of the existing bytes to the hash; false at the end.
    private func readPiece() throws(HubError) -> Bool {
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 18, alignment: 16)
        defer { buffer.deallocate() }
        let count = read(descriptor, buffer.baseAddress, buffer.count)
        if count < 0, errno == EINTR { return true }
        guard count >= 0 else { throw SystemCalls.failure("read the file", errno) }
        note(UnsafeRawBufferPointer(rebasing: buffer[..<count]))
        return count > 0
    }

    /// Appends bytes.
    func append(_ bytes: UnsafeRawBufferPointer) throws(HubError) {
        guard bytes.count <= limit - precedingByteCount - byteCount else {
            throw HubError(
                .resourceExhausted,
                "The file has more than \(limit) bytes, the limit of this hub; see --max-model-size of `sightline hub serve`."
            )
        }
        try entry?.add(bytes.count)
        do throws(HubError) {
            try SystemCalls.write(bytes, to: descriptor)
        } catch {
            // A part of the bytes may be in the file, but not in the hash.
            ftruncate(descriptor, off_t(byteCount))
            lseek(descriptor, off_t(byteCount), SEEK_SET)
            entry?.remove(bytes.count)
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

    /// Writes the received bytes to disk.
    func synchronize() throws(HubError) {
        guard synchronizedByteCount < byteCount || byteCount == 0 else { return }
        guard fsync(descriptor) == 0 else { throw SystemCalls.failure("store the file", errno) }
        synchronizedByteCount = byteCount
    }

    /// Appends bytes.
    func append(_ buffer: ByteBuffer) throws(HubError) {
        let result: Result<Void, HubError> = buffer.withUnsafeReadableBytes { bytes in
            Result { () throws(HubError) in try append(bytes) }
        }
        try result.get()
    }

    /// Returns the description of the file after writing it to disk.
    func finish() throws(HubError) -> FileSummary {
        try synchronize()
        close(descriptor)
        descriptor = -1
        return FileSummary(
            hash: BlobHash(sha256.finalize()),
            byteCount: byteCount,
            crc32c: crc32c.base64,
            md5: Data(md5.finalize()).base64EncodedString()
        )
    }
}
