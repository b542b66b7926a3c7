import DurableFiles
import Foundation

/// A file that is being written, closed at the end of its lifetime.
///
/// The raw bytes are used safely: every read and write uses a buffer's own start and count, and no buffer outlives its
/// call.
struct OpenFile: ~Copyable {
    let path: String
    private let descriptor: Int32

    /// Opens a file for reading and appending, and creates it if necessary.
    init(_ path: String) throws(ModelCatalogError) {
        self.path = path
        // Never follows a symbolic link.
        descriptor = open(path, O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC | O_NOFOLLOW, 0o644)
        guard descriptor >= 0 else { throw .system(errno, path: path) }
    }

    deinit { close(descriptor) }

    /// The size of the file.
    func byteCount() throws(ModelCatalogError) -> Int {
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { throw .system(errno, path: path) }
        return Int(status.st_size)
    }

    /// Removes all bytes.
    func clear() throws(ModelCatalogError) {
        guard ftruncate(descriptor, 0) == 0 else { throw .system(errno, path: path) }
    }

    /// Appends bytes.
    func append(_ bytes: UnsafeRawBufferPointer) throws(ModelCatalogError) {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = write(descriptor, UnsafeRawBufferPointer(rebasing: rest).baseAddress, rest.count)
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { throw .system(errno, path: path) }
            rest = rest.dropFirst(count)
        }
    }

    /// Appends bytes.
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

    /// Writes the contents to disk.
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

    /// Writes the list of a folder's files to disk.
    static func synchronizeFolder(_ path: String) throws(ModelCatalogError) {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw .system(errno, path: path) }
        defer { close(descriptor) }
        guard fsync(descriptor) == 0 else { throw .system(errno, path: path) }
    }
}
