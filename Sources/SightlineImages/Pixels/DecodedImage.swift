/// Pixels of a picture as the file stores them, whole or in part, at full size or smaller, with their place in the picture.
package struct DecodedImage: Sendable {
    /// The rows as stored, not yet upright.
    package let pixels: PixelBuffer
    /// The area that the pixels cover, in pixels of the whole stored picture. At a reduced scale, its right and lower edges may
    /// lie a little outside the picture.
    package let region: PixelRect
    /// The size of the whole stored picture.
    package let storedSize: PixelSize
    /// The relation of the stored rows to the upright picture.
    package internal(set) var orientation: ImageOrientation

    /// Creates decoded pixels from their place in the stored picture.
    package init(
        pixels: PixelBuffer,
        region: PixelRect,
        storedSize: PixelSize,
        orientation: ImageOrientation = .up
    ) {
        self.pixels = pixels
        self.region = region
        self.storedSize = storedSize
        self.orientation = orientation
    }

    /// The same pixels as the mirror image of the upright picture.
    package var mirrored: DecodedImage {
        var image = self
        image.orientation = orientation.mirrored
        return image
    }

    /// Creates the pixels of a whole picture at full size.
    package init(whole pixels: PixelBuffer, orientation: ImageOrientation = .up) {
        self.init(
            pixels: pixels,
            region: PixelRect(pixels.size),
            storedSize: pixels.size,
            orientation: orientation
        )
    }

    /// The size of the whole upright picture.
    package var size: PixelSize { orientation.swapsAxes ? storedSize.transposed : storedSize }

    /// Returns whether the pixels cover the visible part of a rectangle of the upright picture.
    package func covers(_ upright: PixelRect) -> Bool {
        guard let visible = upright.intersection(PixelRect(size)) else { return false }
        let stored = orientation.storedRect(of: visible, in: storedSize)
        let tolerance = 1e-6
        return stored.x >= region.x - tolerance && stored.y >= region.y - tolerance
            && stored.maxX <= region.maxX + tolerance && stored.maxY <= region.maxY + tolerance
    }
}
