import Foundation

extension VisionImage {
    /// Returns the bytes of a model's input: the picture cropped, resized, turned upright, converted and normalized.
    ///
    /// ```swift
    /// let format = InputFormat(size: PixelSize(width: 320, height: 320))
    /// try interpreter.copy(image.tensor(format), toInputAt: 0)
    /// ```
    ///
    /// Detectors and labelers write the same bytes. Each tensor pixel mixes the two-by-two pixels around its center (bilinear
    /// interpolation with half-pixel centers; pixels at the edge repeat beyond it). A JPEG file is decoded at the smallest scale that
    /// suffices.
    ///
    /// - Parameters:
    ///   - format: The tensor's format.
    ///   - placement: The part of the upright picture and the part of the tensor that it fills; nil for the whole picture, squeezed
    ///     to the tensor's shape. Its tensor size is that of the format.
    /// - Returns: The tensor's elements, in the layout of the format and the machine's byte order.
    /// - Throws: `ImageError.unsupportedInput` if no picture can be written in the format or if the placement has another tensor size,
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
