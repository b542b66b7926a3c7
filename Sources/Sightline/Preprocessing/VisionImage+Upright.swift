import Foundation

extension VisionImage {
    /// Decodes the whole picture to upright RGB at full size, for example to draw on it.
    ///
    /// The result takes three bytes per pixel. A picture that is upright RGB in memory is returned as it is.
    ///
    /// - Throws: `ImageError.corrupted` or `.outOfMemory`.
    public func upright() throws(ImageError) -> PixelBuffer {
        if orientation == .up, let pixels = storedPixels, pixels.format == .rgb { return pixels }
        return try upright(in: size)
    }

    /// Decodes the whole picture to upright RGB, stretched to a size.
    ///
    /// - Throws: `ImageError.corrupted` or `.outOfMemory`.
    package func upright(in size: PixelSize) throws(ImageError) -> PixelBuffer {
        let placement = Placement(PixelRect(self.size), into: size, fit: .stretch)
        let decoded = try decoded(for: size == self.size ? [] : [placement])
        if orientation == .up, decoded.pixels.format == .rgb, decoded.pixels.size == size,
            decoded.region == PixelRect(storedSize)
        {
            return decoded.pixels
        }
        let (stride, overflow) = size.width.multipliedReportingOverflow(by: 3)
        guard !overflow else { throw .outOfMemory(bytes: .max) }
        let data = try Data.filled(rows: size.height, stride: stride) { memory throws(ImageError) in
            try decoded.write(
                placement,
                as: InputFormat(size: size),
                into: UnsafeMutableRawBufferPointer(start: memory, count: stride * size.height)
            )
        }
        return try PixelBuffer(
            format: .rgb,
            width: size.width,
            height: size.height,
            planes: [PixelBuffer.Plane(data: data, bytesPerRow: stride)]
        )
    }
}
