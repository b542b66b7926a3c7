import Foundation

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// The bytes of a model at an address that never changes.
///
/// A file is read rather than mapped. If a program overwrites a mapped file in place, as `cp` does, every process that
/// uses the mapping ends. Reading a model takes a millisecond.
///
/// Unsafe but sound: the memory is written before `init` returns and never after; `base` and `count` are constants;
/// `deinit` releases the memory, and everything that points into it (`data`, the runtime's model) keeps this object
/// alive. Sendable by the same argument: threads share only constants.
package final class ModelBytes: @unchecked Sendable {
    package let base: UnsafeMutableRawPointer
    package let count: Int

    /// Offsets in a FlatBuffer have 32 bits, of which the format uses 31; messages of Protocol Buffers have the same bound.
    private static let maximumCount = Int(Int32.max)

    /// Reads the file.
    package init(contentsOf url: URL) throws(ModelError) {
        let path = url.path(percentEncoded: false)
        // Opening a pipe that has no writer must not wait.
        let file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
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
        let size = Int(status.st_size)
        base = try Self.memory(size)
        count = size
        var position = 0
        while position < size {
            let result = read(file, base + position, size - position)
            if result > 0 { position += result }
            if result == 0 { throw .unreadable(path: path, reason: "it became shorter while it was read") }
            if result < 0, errno != EINTR {
                throw .unreadable(path: path, reason: String(cString: strerror(errno)))
            }
        }
    }

    /// Copies the bytes.
    package init(copying data: Data) throws(ModelError) {
        guard !data.isEmpty else { throw .empty }
        base = try Self.memory(data.count)
        count = data.count
        data.copyBytes(to: UnsafeMutableRawBufferPointer(start: base, count: count))
    }

    deinit {
        free(base)
    }

    /// Allocates memory that is aligned for every element type.
    private static func memory(_ size: Int) throws(ModelError) -> UnsafeMutableRawPointer {
        var memory: UnsafeMutableRawPointer?
        guard size <= maximumCount else { throw .fileTooLarge(bytes: size, limit: maximumCount) }
        guard posix_memalign(&memory, 64, size) == 0, let memory else { throw .outOfMemory(bytes: size) }
        return memory
    }

    /// Gives access to the bytes for the duration of the call.
    package func withBytes<Result, Failure: Error>(
        _ body: (UnsafeRawBufferPointer) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try body(UnsafeRawBufferPointer(start: base, count: count))
    }

    /// The bytes as a value that shares this memory and keeps it alive.
    package var data: Data {
        Data(bytesNoCopy: base, count: count, deallocator: .custom { _, _ in withExtendedLifetime(self) {} })
    }
}
