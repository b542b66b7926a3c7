#if canImport(CoreText)
    import CoreGraphics
    import CoreText
    import Foundation
    import Sightline

    /// A Core Graphics context on a small transparent picture with 32 bits a pixel: 0xAARRGGBB, multiplied by alpha.
    ///
    /// Points have their origin at the top left, as in Cairo; Core Graphics has it at the bottom left, so that the context is turned over.
    struct DrawingContext: ~Copyable {
        private let context: CGContext
        private let lettering = Lettering()
        let width: Int
        let height: Int

        /// The font, which is chosen after the context is made.
        private final class Lettering {
            var font: CTFont?
        }

        init(width: Int, height: Int) throws(MediaError) {
            let pixels = CGImageAlphaInfo.premultipliedFirst.rawValue | CGBitmapInfo.byteOrder32Little.rawValue
            let context = CGContext(
                data: nil,
                width: width,
                height: height,
                bitsPerComponent: 8,
                bytesPerRow: 0,
                space: CGColorSpaceCreateDeviceRGB(),
                bitmapInfo: pixels
            )
            guard let context else { throw .drawingFailed(reason: "no context of \(width)×\(height) pixels") }
            context.setLineCap(.round)
            context.setLineJoin(.round)
            context.concatenate(CGAffineTransform(a: 1, b: 0, c: 0, d: -1, tx: 0, ty: CGFloat(height)))
            context.saveGState()
            (self.context, self.width, self.height) = (context, width, height)
        }

        /// Core Graphics reports no failures of drawing.
        func check() throws(MediaError) {}

        /// Sets the font of all annotations.
        func setFont(size: Double) {
            lettering.font = CTFontCreateUIFontForLanguage(.emphasizedSystem, CGFloat(size), nil)
        }

        func setColor(_ color: AnnotationColor) {
            let (red, green) = (CGFloat(color.red) / 255, CGFloat(color.green) / 255)
            let blue = CGFloat(color.blue) / 255
            context.setFillColor(red: red, green: green, blue: blue, alpha: 1)
            context.setStrokeColor(red: red, green: green, blue: blue, alpha: 1)
        }

        func fill(_ rectangle: PixelRect) {
            context.fill(
                CGRect(x: rectangle.x, y: rectangle.y, width: rectangle.width, height: rectangle.height)
            )
        }

        /// Chooses how the points of the functions below become pixels. The color must be chosen again.
        func setMatrix(_ matrix: PixelMatrix) {
            context.restoreGState()
            context.saveGState()
            context.concatenate(
                CGAffineTransform(
                    a: CGFloat(matrix.xx),
                    b: CGFloat(matrix.yx),
                    c: CGFloat(matrix.xy),
                    d: CGFloat(matrix.yy),
                    tx: CGFloat(matrix.x0),
                    ty: CGFloat(matrix.y0)
                )
            )
        }

        /// Draws a line with round ends and corners.
        func drawLine(through points: [SIMD2<Double>], width: Double) {
            guard let first = points.first else { return }
            context.beginPath()
            context.move(to: CGPoint(x: first.x, y: first.y))
            for point in points.dropFirst() { context.addLine(to: CGPoint(x: point.x, y: point.y)) }
            context.setLineWidth(CGFloat(width))
            context.strokePath()
        }

        /// Draws one line of text that starts at a point of its base line.
        func drawText(_ text: String, x: Double, baseline: Double) {
            // Letters are upright in a flipped context.
            context.textMatrix = CGAffineTransform(a: 1, b: 0, c: 0, d: -1, tx: 0, ty: 0)
            context.textPosition = CGPoint(x: x, y: baseline)
            CTLineDraw(line(text), context)
        }

        /// The height of the font above its base line and below it.
        func fontHeights() -> (ascent: Double, descent: Double) {
            guard let font = lettering.font else { return (0, 0) }
            return (Double(CTFontGetAscent(font)), Double(CTFontGetDescent(font)))
        }

        /// The advance width of one line of text.
        func width(of text: String) -> Double { CTLineGetTypographicBounds(line(text), nil, nil, nil) }

        private func line(_ text: String) -> CTLine {
            var attributes: [NSAttributedString.Key: Any] = [
                NSAttributedString.Key(kCTForegroundColorFromContextAttributeName as String): true
            ]
            if let font = lettering.font { attributes[NSAttributedString.Key(kCTFontAttributeName as String)] = font }
            return CTLineCreateWithAttributedString(
                NSAttributedString(string: text, attributes: attributes) as CFAttributedString
            )
        }

        /// Calls a function with the pixels, for reading and writing between drawing calls.
        ///
        /// Unsafe code: the context owns the memory of its rows and lives until the call returns.
        func withPixels(_ body: (UnsafeMutablePointer<UInt32>, _ pixelsPerRow: Int) -> Void) throws(MediaError) {
            context.flush()
            guard let pixels = context.data else { throw .drawingFailed(reason: "the context has no pixels") }
            body(pixels.assumingMemoryBound(to: UInt32.self), context.bytesPerRow / 4)
        }
    }
#endif
