#if !canImport(CoreText)
    import CCairo
    import Sightline

    /// A Cairo drawing context on a small transparent picture with 32 bits a pixel: 0xAARRGGBB, multiplied by alpha.
    ///
    /// Unsafe code: the canvas is made after the library has been loaded, and destroyed with its only owner.
    struct DrawingContext: ~Copyable {
        private let pointer: OpaquePointer
        let width: Int
        let height: Int

        init(width: Int, height: Int) throws(MediaError) {
            if let reason = ccairo_load() { throw .drawingFailed(reason: String(cString: reason)) }
            var reason: UnsafePointer<CChar>?
            guard let width32 = Int32(exactly: width), let height32 = Int32(exactly: height),
                let canvas = ccairo_create(width32, height32, &reason)
            else {
                throw .drawingFailed(
                    reason: reason.map { String(cString: $0) } ?? "no surface of \(width)×\(height) pixels"
                )
            }
            (pointer, self.width, self.height) = (canvas, width, height)
        }

        deinit { ccairo_destroy(pointer) }

        /// Throws the first error since the context was made, if there was an error.
        func check() throws(MediaError) {
            if let reason = ccairo_failure(pointer) { throw .drawingFailed(reason: String(cString: reason)) }
        }

        /// Sets the font of all annotations.
        func setFont(size: Double) { ccairo_set_font(pointer, size) }

        func setColor(_ color: AnnotationColor) {
            ccairo_set_color(pointer, Double(color.red) / 255, Double(color.green) / 255, Double(color.blue) / 255)
        }

        func fill(_ rectangle: PixelRect) {
            ccairo_fill_rectangle(pointer, rectangle.x, rectangle.y, rectangle.width, rectangle.height)
        }

        /// Chooses how the points of the functions below become pixels.
        func setMatrix(_ matrix: PixelMatrix) {
            var matrix = CCairoMatrix(
                xx: matrix.xx,
                yx: matrix.yx,
                xy: matrix.xy,
                yy: matrix.yy,
                x0: matrix.x0,
                y0: matrix.y0
            )
            ccairo_set_matrix(pointer, &matrix)
        }

        /// Draws a line with round ends and corners.
        func drawLine(through points: [SIMD2<Double>], width: Double) {
            let points = points.map { CCairoPoint(x: $0.x, y: $0.y) }
            ccairo_draw_line(pointer, points, points.count, width)
        }

        /// Draws one line of text that starts at a point of its base line.
        func drawText(_ text: String, x: Double, baseline: Double) {
            ccairo_draw_text(pointer, x, baseline, text)
        }

        /// The height of the font above its base line and below it.
        func fontHeights() -> (ascent: Double, descent: Double) {
            var (ascent, descent) = (0.0, 0.0)
            ccairo_measure_font(pointer, &ascent, &descent)
            return (ascent, descent)
        }

        /// The advance width of one line of text.
        func width(of text: String) -> Double { ccairo_text_width(pointer, text) }

        /// Calls a function with the pixels, for reading and writing between drawing calls.
        func withPixels(_ body: (UnsafeMutablePointer<UInt32>, _ pixelsPerRow: Int) -> Void) throws(MediaError) {
            var pixelsPerRow = 0
            guard let pixels = ccairo_pixels(pointer, &pixelsPerRow) else {
                throw .drawingFailed(reason: "the surface has no pixels")
            }
            body(pixels, pixelsPerRow)
            ccairo_pixels_changed(pointer)
        }
    }
#endif
