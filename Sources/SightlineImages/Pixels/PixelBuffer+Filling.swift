import Foundation

extension PixelBuffer {
    /// Allocates rows without padding, lets a decoder fill all of them, and wraps them.
    ///
    /// - Parameters:
    ///   - size: The size in pixels.
    ///   - channels: 1 for gray, 3 for RGB.
    ///   - decode: Gets the memory and the bytes of a row, and must write each byte unless it throws.
    /// - Throws: `ImageError.outOfMemory`, and the errors of `decode`.
    init(
        filling size: PixelSize,
        channels: Int,
        by decode: (UnsafeMutablePointer<UInt8>, _ stride: Int) throws(ImageError) -> Void
    ) throws(ImageError) {
        let (stride, overflow) = size.width.multipliedReportingOverflow(by: channels)
        guard !overflow else { throw .outOfMemory(bytes: .max) }
        let data = try Data.filled(rows: size.height, stride: stride) { memory throws(ImageError) in
            try decode(memory.assumingMemoryBound(to: UInt8.self), stride)
        }
        try self.init(
            format: channels == 1 ? .gray : .rgb,
            width: size.width,
            height: size.height,
            planes: [Plane(data: data, bytesPerRow: stride)]
        )
    }
}
