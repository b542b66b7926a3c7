import Foundation

extension VisionImage {
    /// The picture as the bytes of a model's input: cropped, resized, turned upright, converted and normalized.
    ///
    /// ```swift
    /// let format = InputFormat(size: PixelSize(width: 320, height: 320))
    /// try interpreter.copy(image.tensor(format), toInputAt: 0)
    /// ```
    ///
    /// These are the bytes that detectors and labelers write. Each of the tensor's pixels takes the two-by-two pixels around its
    /// center (bilinear interpolation with half-pixel centers; beyond the edges the edge goes on). A JPEG file is decoded at the
    /// smallest scale that suffices.
    ///
    /// - Parameters:
    ///   - format: what the tensor wants.
    ///   - placement: which part of the upright picture goes to which part of the tensor; nil for the whole picture, squeezed to the
    ///     tensor's shape. Its tensor size is that of the format.
    /// - Returns: the tensor's elements, in the layout of the format and the machine's byte order.
    /// - Throws: `ImageError.unsupportedInput` for a format that cannot be written or is of another size than the placement,
    ///   `.invalidRegion` for a placement that does not overlap the picture, `.corrupted` or `.outOfMemory`.
    public func tensor(_ format: InputFormat, placement: Placement? = nil) throws(ImageError) -> Data {
        let placement = placement ?? Placement(PixelRect(size), into: format.size, fit: .stretch)
        let decoded = try decoded(for: [placement])
        guard let byteCount = format.byteCount else { throw .outOfMemory(bytes: .max) }
        return try Data.filled(rows: 1, stride: byteCount) { memory throws(ImageError) in
            try decoded.write(
                placement,
                as: format,
                into: UnsafeMutableRawBufferPointer(start: memory, count: byteCount)
            )
        }
    }
}
