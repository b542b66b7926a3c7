import Foundation

extension Data {
    /// Allocates memory without clearing it, lets `fill` write all of it, and wraps it. If `fill` throws, the memory is freed.
    ///
    /// `fill` gets room for rows × stride bytes and must write each of them before it returns.
    ///
    /// - Throws: `ImageError.outOfMemory`, and the errors of `fill`.
    package static func filled(
        rows: Int,
        stride: Int,
        by fill: (UnsafeMutableRawPointer) throws(ImageError) -> Void
    ) throws(ImageError) -> Data {
        let (count, overflow) = stride.multipliedReportingOverflow(by: rows)
        guard !overflow, let memory = malloc(count) else { throw .outOfMemory(bytes: overflow ? .max : count) }
        do throws(ImageError) {
            try fill(memory)
        } catch {
            free(memory)
            throw error
        }
        // Wrapped only now: `Data` copies a few bytes into the value itself and frees the memory at once.
        return Data(bytesNoCopy: memory, count: count, deallocator: .free)
    }
}

extension UnsafeRawBufferPointer {
    /// The address of the first byte, typed as C functions expect it; nil if the buffer is empty.
    package var bytes: UnsafePointer<UInt8>? { baseAddress?.assumingMemoryBound(to: UInt8.self) }
}
