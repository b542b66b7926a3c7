import Foundation

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// The bytes of a model at an address that never changes: a mapped file, or a copy.
///
/// Unsafe but sound: the memory is written before `init` returns and never after; `base` and `count` are constants; it is
/// released in `deinit`, and everything that points into it (`data`, the runtime's model) keeps this object alive.
/// Sendable by the same argument: all that threads share is constant. A mapped file that somebody overwrites in place
/// changes under us: files are replaced by renaming, as package managers and this project's tools do.
final class ModelBytes: @unchecked Sendable {
    let base: UnsafeMutableRawPointer
    let count: Int
    private let isMapped: Bool

    /// Maps the file.
    init(contentsOf url: URL) throws(ModelError) {
        let path = url.path(percentEncoded: false)
        let file = open(path, O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { throw .unreadable(path: path, reason: String(cString: strerror(errno))) }
        defer { close(file) }
        var status = stat()
        guard fstat(file, &status) == 0 else {
            throw .unreadable(path: path, reason: String(cString: strerror(errno)))
        }
        guard status.st_mode & S_IFMT == S_IFREG else {
            throw .unreadable(path: path, reason: "it is not a regular file")
        }
        guard status.st_size > 0 else { throw .empty }
        guard let size = Int(exactly: status.st_size),
            let address = mmap(nil, size, PROT_READ, MAP_PRIVATE, file, 0), address != MAP_FAILED
        else { throw .unreadable(path: path, reason: String(cString: strerror(errno))) }
        base = address
        count = size
        isMapped = true
    }

    /// Copies the bytes to memory of their own, aligned for every element type.
    init(copying data: Data) throws(ModelError) {
        guard !data.isEmpty else { throw .empty }
        base = UnsafeMutableRawPointer.allocate(byteCount: data.count, alignment: 64)
        count = data.count
        isMapped = false
        data.copyBytes(to: UnsafeMutableRawBufferPointer(start: base, count: count))
    }

    deinit {
        if isMapped { munmap(base, count) } else { base.deallocate() }
    }

    /// The bytes for the time of a call.
    func withBytes<Result, Failure: Error>(
        _ body: (UnsafeRawBufferPointer) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try body(UnsafeRawBufferPointer(start: base, count: count))
    }

    /// The bytes as a value that shares this memory and keeps it alive.
    var data: Data {
        Data(bytesNoCopy: base, count: count, deallocator: .custom { _, _ in withExtendedLifetime(self) {} })
    }
}
