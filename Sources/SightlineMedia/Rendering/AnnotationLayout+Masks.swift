import Sightline

extension AnnotationLayout {
    /// A mask with its colors.
    struct Surface: Sendable {
        let shape: PixelShape
        let color: AnnotationColor
    }

    /// A part of the picture to blur: a frame, or the pixels of a shape in it.
    struct Blur: Sendable {
        let frame: PixelRect
        var shape: PixelShape?
    }

    /// The width of the rim around a mask, in multiples of a line.
    private static let rimWidth = 0.4

    /// Adds a mask: a translucent surface, a line along its edge, and a thin rim in black or white around it, which stands out where the
    /// color does not.
    public mutating func addMask(_ mask: ObjectMask, color: AnnotationColor) {
        let shape = PixelShape(
            surfaceOf: mask,
            in: size,
            lineWidth: max(lineWidth * 0.75, 1),
            rimWidth: max(lineWidth * Self.rimWidth, 1)
        )
        if let shape { surfaces.append(Surface(shape: shape, color: color)) }
    }

    /// Adds a blur over a mask, the holes in it, and a margin around it.
    ///
    /// - Parameters:
    ///   - mask: the pixels to hide.
    ///   - margin: the width of the margin in pixels.
    public mutating func addBlur(_ mask: ObjectMask, margin: Double) {
        guard let shape = PixelShape(covering: mask, margin: margin, in: size) else { return }
        blurs.append(Blur(frame: shape.frame, shape: shape))
    }
}

extension AnnotationLayout.Surface {
    /// The opacity of the surface.
    private static let opacity = 0.4

    /// Writes the ink of a part of the picture as stored.
    ///
    /// - Parameters:
    ///   - pixels: 0xAARRGGBB, colors multiplied with alpha.
    ///   - matrix: maps points of the upright picture to the part.
    func fill(_ pixels: UnsafeMutablePointer<UInt32>, _ pixelsPerRow: Int, _ region: PixelRegion, _ matrix: PixelMatrix)
    {
        let inks = [0, Self.ink(color, Self.opacity), Self.ink(color, 1), Self.ink(color.contrastingText, 1)]
        for row in 0..<region.height {
            for column in 0..<region.width {
                let (x, y) = matrix.uprightPixel(column, row)
                pixels[row * pixelsPerRow + column] = inks[Int(shape.level(x: x, y: y))]
            }
        }
    }

    private static func ink(_ color: AnnotationColor, _ opacity: Double) -> UInt32 {
        func value(_ part: UInt8) -> UInt32 { UInt32((opacity * Double(part)).rounded()) }
        return value(255) << 24 | value(color.red) << 16 | value(color.green) << 8 | value(color.blue)
    }
}

extension PixelMatrix {
    /// The pixel of the upright picture that a pixel of the stored part shows.
    func uprightPixel(_ column: Int, _ row: Int) -> (x: Int, y: Int) {
        let turn = xx * yy - xy * yx
        let (x, y) = (Double(column) + 0.5 - x0, Double(row) + 0.5 - y0)
        return (
            Int(((yy * x - xy * y) / turn).rounded(.down)), Int(((xx * y - yx * x) / turn).rounded(.down))
        )
    }
}
