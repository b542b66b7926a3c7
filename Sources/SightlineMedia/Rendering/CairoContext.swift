import CCairo

/// A Cairo drawing context on a small transparent picture with 32 bits a pixel: 0xAARRGGBB, multiplied by alpha.
///
/// Unsafe code: surface and context are made together, checked before first use (Cairo never returns null but an object
/// whose status tells the failure), and released together when the one owner goes.
struct CairoContext: ~Copyable {
    let pointer: OpaquePointer
    private let surface: OpaquePointer
    private let width: Int
    private let height: Int

    init(width: Int, height: Int) throws(MediaError) {
        guard let width32 = Int32(exactly: width), let height32 = Int32(exactly: height),
            let surface = cairo_image_surface_create(CAIRO_FORMAT_ARGB32, width32, height32),
            let context = cairo_create(surface)
        else { throw .drawingFailed(reason: "no surface of \(width)×\(height) pixels") }
        let status = cairo_status(context)
        guard status == CAIRO_STATUS_SUCCESS else {
            cairo_destroy(context)
            cairo_surface_destroy(surface)
            throw .drawingFailed(reason: String(cString: cairo_status_to_string(status)))
        }
        self.surface = surface
        self.width = width
        self.height = height
        pointer = context
    }

    deinit {
        cairo_destroy(pointer)
        cairo_surface_destroy(surface)
    }

    /// Throws the first error since the context was made, if there was an error.
    func check() throws(MediaError) {
        let status = cairo_status(pointer)
        guard status == CAIRO_STATUS_SUCCESS else {
            throw .drawingFailed(reason: String(cString: cairo_status_to_string(status)))
        }
    }

    /// Sets the font of all annotations: sans-serif without hinting, so that text looks the same at every position.
    func setFont(size: Double) {
        cairo_select_font_face(pointer, "sans-serif", CAIRO_FONT_SLANT_NORMAL, CAIRO_FONT_WEIGHT_BOLD)
        cairo_set_font_size(pointer, size)
        let options = cairo_font_options_create()
        cairo_font_options_set_antialias(options, CAIRO_ANTIALIAS_GRAY)
        cairo_font_options_set_hint_style(options, CAIRO_HINT_STYLE_NONE)
        cairo_font_options_set_hint_metrics(options, CAIRO_HINT_METRICS_OFF)
        cairo_set_font_options(pointer, options)
        cairo_font_options_destroy(options)
    }

    func setColor(_ color: AnnotationColor) {
        cairo_set_source_rgb(
            pointer,
            Double(color.red) / 255,
            Double(color.green) / 255,
            Double(color.blue) / 255
        )
    }

    /// Makes the upper left corner transparent. Parts outside the picture are ignored.
    func clear(width: Int, height: Int) throws(MediaError) {
        let (width, height) = (min(width, self.width), min(height, self.height))
        try withPixels { pixels, pixelsPerRow in
            for row in 0..<height { (pixels + row * pixelsPerRow).update(repeating: 0, count: width) }
        }
    }

    /// Calls a function with the pixels, for reading and writing between drawing calls.
    func withPixels(_ body: (UnsafeMutablePointer<UInt32>, _ pixelsPerRow: Int) -> Void) throws(MediaError) {
        cairo_surface_flush(surface)
        let bytesPerRow = Int(cairo_image_surface_get_stride(surface))
        guard let bytes = cairo_image_surface_get_data(surface) else {
            throw .drawingFailed(reason: "the surface has no pixels")
        }
        // Cairo aligns rows of this format to 4 bytes and documents them as native 32-bit quantities.
        UnsafeMutableRawPointer(bytes).withMemoryRebound(to: UInt32.self, capacity: bytesPerRow / 4 * height) {
            body($0, bytesPerRow / 4)
        }
        cairo_surface_mark_dirty(surface)
    }
}
