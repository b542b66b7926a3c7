extension VisionImage {
    /// Decodes the pixels that the placements need, and hardly more: the smallest scale at which every placement has a decoded
    /// pixel for each pixel that it writes, and the smallest region that covers all their sources.
    ///
    /// Pixels in memory are returned as they are.
    ///
    /// - Parameter placements: An empty list asks for the whole picture at full size.
    /// - Throws: `ImageError.invalidRegion` for a source that does not overlap the picture, `.corrupted`, `.outOfMemory`.
    package func decoded(for placements: [Placement]) throws(ImageError) -> DecodedImage {
        var request: DecodingRequest?
        for placement in placements {
            let needed = try self.request(for: placement)
            request = request?.union(needed) ?? needed
        }
        return try decoded(for: request ?? DecodingRequest(whole: storedSize))
    }

    private func request(for placement: Placement) throws(ImageError) -> DecodingRequest {
        guard placement.isFinite, let visible = placement.source.intersection(PixelRect(size)) else {
            throw .invalidRegion(placement.source, in: size)
        }
        return DecodingRequest(
            region: orientation.storedRect(of: visible, in: storedSize),
            scale: placement.scale
        )
    }
}
