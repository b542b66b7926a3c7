import CLiteRT

/// The memory of an input or output, and the runtime's handle for it.
///
/// Unsafe but sound: `start` is allocated in `init` and released in `deinit` after the handle that refers to it; both
/// are constants. The memory starts at a multiple of 64, as the runtime requires, and extends 64 bytes beyond the
/// tensor's end, because the runtime's vector kernels may read a little too far.
final class TensorMemory {
    let start: UnsafeMutableRawPointer
    let byteCount: Int
    let handle: OpaquePointer
    private let library: RuntimeLibrary

    init?(dataType: Tensor.DataType, layout: LiteRtLayout, byteCount: Int, library: RuntimeLibrary) {
        let alignment = Int(kLiteRtHostMemoryAlignment)
        let capacity = (byteCount / alignment + 2) * alignment
        start = UnsafeMutableRawPointer.allocate(byteCount: capacity, alignment: alignment)
        start.initializeMemory(as: UInt8.self, repeating: 0, count: capacity)
        self.byteCount = byteCount
        self.library = library
        var type = LiteRtTensorType(element_type: dataType.runtimeCode, layout: layout)
        var buffer: OpaquePointer?
        let status = library.functions.CreateTensorBufferFromHostMemory(
            &type,
            start,
            max(byteCount, 1),
            nil,
            &buffer
        )
        guard status == kLiteRtOk, let buffer else {
            start.deallocate()
            return nil
        }
        handle = buffer
    }

    deinit {
        library.functions.DestroyTensorBuffer(handle)
        start.deallocate()
    }

    var bytes: UnsafeMutableRawBufferPointer { UnsafeMutableRawBufferPointer(start: start, count: byteCount) }
}
