import DurableFiles
import Foundation

/// A file that is being written, closed when it is given up.
///
/// The raw bytes here are sound: every read and write is of a buffer's own start and count, and no buffer outlives its call.
struct OpenFile: ~Copyable {
    let path: String
    private let descriptor: Int32

    /// Opens a file for reading and writing at its end, and makes it if need be.
    init(_ path: String) throws(ModelCatalogError) {
        self.path = path
        // Never through a link that somebody put there.
        descriptor = open(path, O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC | O_NOFOLLOW, 0o644)
        guard descriptor >= 0 else { throw .system(errno, path: path) }
    }

    deinit { close(descriptor) }

    /// How long it is.
    func byteCount() throws(ModelCatalogError) -> Int {
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { throw .system(errno, path: path) }
        return Int(status.st_size)
    }

    /// Empties it.
    func clear() throws(ModelCatalogError) {
        guard ftruncate(descriptor, 0) == 0 else { throw .system(errno, path: path) }
    }

    /// Writes at its end.
    func append(_ bytes: UnsafeRawBufferPointer) throws(ModelCatalogError) {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = write(descriptor, UnsafeRawBufferPointer(rebasing: rest).baseAddress, rest.count)
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { throw .system(errno, path: path) }
            rest = rest.dropFirst(count)
        }
    }

    /// Writes at its end.
    func append(_ data: Data) throws(ModelCatalogError) {
        let result: Result<Void, ModelCatalogError> = data.withUnsafeBytes { bytes in
            do throws(ModelCatalogError) {
                return .success(try append(bytes))
            } catch {
                return .failure(error)
            }
        }
        try result.get()
    }

    /// Returns when it is on the disk.
    func synchronize() throws(ModelCatalogError) {
        guard fsync(descriptor) == 0 else { throw .system(errno, path: path) }
    }

    /// The SHA-256 of a file, in lower-case hexadecimal digits.
    static func sha256(of path: String) throws(ModelCatalogError) -> String {
        var hash = SHA256()
        try read(path) { (piece) throws(ModelCatalogError) in hash.update(piece) }
        return hash.hexadecimalDigest
    }

    /// Reads a file in pieces.
    static func read(
        _ path: String,
        _ body: (UnsafeRawBufferPointer) throws(ModelCatalogError) -> Void
    ) throws(ModelCatalogError) {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw .system(errno, path: path) }
        defer { close(descriptor) }
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 18, alignment: 16)
        defer { buffer.deallocate() }
        while true {
            let count = Foundation.read(descriptor, buffer.baseAddress, buffer.count)
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { throw .system(errno, path: path) }
            if count == 0 { return }
            try body(UnsafeRawBufferPointer(rebasing: buffer[..<count]))
        }
    }

    /// Returns when what a folder lists is on the disk.
    static func synchronizeFolder(_ path: String) throws(ModelCatalogError) {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw .system(errno, path: path) }
        defer { close(descriptor) }
        guard fsync(descriptor) == 0 else { throw .system(errno, path: path) }
    }
}
