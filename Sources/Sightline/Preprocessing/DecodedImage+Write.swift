import TensorFlowLite

extension DecodedImage {
    /// Writes a region of the upright picture into a tensor, in one pass from the stored pixels: crop, resize, turn, convert
    /// and normalize or quantize.
    ///
    /// Each of the tensor's pixels takes the two-by-two stored pixels around its center (bilinear interpolation with
    /// half-pixel centers; beyond the edges the edge goes on), rounded to 8 bits; a table turns that value into an element.
    /// Pixels whose center lies outside the placement's target hold its filling, which passes through the same table.
    ///
    /// - Parameters:
    ///   - placement: which part goes where. It must be among those that the picture was decoded for.
    ///   - format: what the tensor wants; its size is the placement's tensor size.
    ///   - destination: the tensor's bytes, as many as the format says, with any alignment.
    /// - Throws: `ImageError.invalidRegion` when the source was not decoded, `.unsupportedInput` when the format cannot be
    ///   written or does not fit the placement or the destination.
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
