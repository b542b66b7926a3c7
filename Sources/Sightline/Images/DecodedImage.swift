/// Pixels of a picture as they are stored, whole or in part, at full size or smaller, with their place in the picture.
package struct DecodedImage: Sendable {
    /// The rows as stored, not yet upright.
    let pixels: PixelBuffer
    /// What the pixels cover, in pixels of the whole stored picture. At a reduced scale its right and lower edge may lie a
    /// little outside.
    let region: PixelRect
    /// The size of the whole stored picture.
    let storedSize: PixelSize
    /// How the stored rows relate to the upright picture.
    let orientation: ImageOrientation

    /// The size of the whole upright picture.
    var size: PixelSize { orientation.swapsAxes ? storedSize.transposed : storedSize }

    /// Whether the visible part of a rectangle of the upright picture was decoded.
    func covers(_ upright: PixelRect) -> Bool {
        guard let visible = upright.intersection(PixelRect(size)) else { return false }
        let stored = orientation.storedRect(of: visible, in: storedSize)
        let tolerance = 1e-6
        return stored.x >= region.x - tolerance && stored.y >= region.y - tolerance
            && stored.maxX <= region.maxX + tolerance && stored.maxY <= region.maxY + tolerance
    }

    /// Whether the picture could be written with a placement as well as if it had been decoded for it: all of the source is
    /// there, with a decoded pixel for each pixel that is written.
    func suffices(for placement: Placement) -> Bool {
        guard placement.isFinite, covers(placement.source) else { return false }
        let needed = max(
            placement.target.width / placement.source.width,
            placement.target.height / placement.source.height
        )
        let scale = min(Double(pixels.width) / region.width, Double(pixels.height) / region.height)
        return min(needed, 1) <= scale * (1 + 1e-6)
    }
}
