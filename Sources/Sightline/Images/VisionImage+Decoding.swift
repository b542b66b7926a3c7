import Foundation

extension VisionImage {
    /// Decodes what the placements need, and hardly more: the smallest scale at which every placement still has a decoded
    /// pixel for each pixel that it writes, and the smallest region that covers all their sources.
    ///
    /// Pixels in memory are passed on as they are.
    ///
    /// - Parameter placements: at least one; with none the whole picture is decoded at full size.
    /// - Throws: `ImageError.invalidRegion` for a source that does not overlap the picture, `.corrupted`, `.outOfMemory`.
    package func decoded(for placements: [Placement]) throws(ImageError) -> DecodedImage {
        var need: DecodingNeed?
        for placement in placements {
            let placed = try self.need(of: placement)
            need =
                need.map { DecodingNeed(region: $0.region.union(placed.region), scale: max($0.scale, placed.scale)) }
                ?? placed
        }
        let whole = PixelRect(storedSize)
        switch source {
        case .pixels(let pixels):
            return DecodedImage(
                pixels: pixels,
                region: whole,
                storedSize: storedSize,
                orientation: orientation
            )
        case .coded(let image):
            let decoded = try image.decoded(for: need ?? DecodingNeed(region: whole, scale: 1))
            return DecodedImage(
                pixels: decoded.pixels,
                region: decoded.region,
                storedSize: storedSize,
                orientation: orientation
            )
        }
    }

    private func need(of placement: Placement) throws(ImageError) -> DecodingNeed {
        guard placement.isFinite, let visible = placement.source.intersection(PixelRect(size)) else {
            throw .invalidRegion(placement.source, in: size)
        }
        return DecodingNeed(
            region: orientation.storedRect(of: visible, in: storedSize),
            scale: max(
                placement.target.width / placement.source.width,
                placement.target.height / placement.source.height
            )
        )
    }

    /// The whole picture as upright RGB at full size, for example to draw on it.
    ///
    /// It takes three bytes a pixel; a picture that is stored as upright RGB in memory is returned as it is.
    ///
    /// - Throws: `ImageError.corrupted` or `.outOfMemory`.
    public func upright() throws(ImageError) -> PixelBuffer {
        if orientation == .up, let pixels = storedPixels, pixels.format == .rgb { return pixels }
        return try upright(in: size)
    }

    /// The whole picture as upright RGB, stretched to a size.
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

extension Placement {
    /// Whether both rectangles cover something and have finite edges, so that their ratio is a scale.
    var isFinite: Bool {
        !source.isEmpty && !target.isEmpty
            && [source.x, source.y, source.maxX, source.maxY, target.x, target.y, target.maxX, target.maxY]
                .allSatisfy(\.isFinite)
    }
}
