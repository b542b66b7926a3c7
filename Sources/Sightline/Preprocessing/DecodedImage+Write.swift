import TensorFlowLite

extension DecodedImage {
    /// Writes a region of the upright picture into a tensor, in one pass from the stored pixels: crop, resize, turn, convert
    /// and normalize or quantize.
    ///
    /// Each tensor pixel mixes the two-by-two stored pixels around its center, rounded to 8 bits (bilinear interpolation with
    /// half-pixel centers; pixels at the edge repeat beyond it). A table converts that value to an element. Pixels whose center
    /// lies outside the placement's target get the placement's fill value, through the same table.
    ///
    /// - Parameters:
    ///   - placement: One of the placements for which the picture was decoded.
    ///   - format: The tensor's format. Its size is the placement's tensor size.
    ///   - destination: The tensor's bytes. Their number is that of the format; any alignment will do.
    /// - Throws: `ImageError.invalidRegion` if the source was not decoded, `.unsupportedInput` if no picture can be written in
    ///   the format, or if the format does not fit the placement or the destination.
    package func write(
        _ placement: Placement,
        as format: InputFormat,
        into destination: UnsafeMutableRawBufferPointer
    ) throws(ImageError) {
        try write(placement, as: format, elements: ElementTable(format), into: destination)
    }

    /// Writes a region of the upright picture into a tensor, with a table that was made for the format before.
    ///
    /// - Throws: `ImageError`, as the form without a table.
    func write(
        _ placement: Placement,
        as format: InputFormat,
        elements table: ElementTable,
        into destination: UnsafeMutableRawBufferPointer
    ) throws(ImageError) {
        guard format.size == placement.tensorSize, format.size.width > 0, format.size.height > 0 else {
            throw .unsupportedInput(
                reason: "its size is \(format.size.width) × \(format.size.height), but the picture was placed into "
                    + "\(placement.tensorSize.width) × \(placement.tensorSize.height)"
            )
        }
        guard destination.count == format.byteCount else {
            throw .unsupportedInput(
                reason: "its tensor has \(destination.count) bytes, but \(format.size.width) × \(format.size.height) "
                    + "\(format.channels.rawValue) pixels of \(format.dataType) take another number"
            )
        }
        guard placement.isFinite, covers(placement.source) else { throw .invalidRegion(placement.source, in: size) }
        TensorWriter(self, placement, format).write(table, into: destination)
    }
}
