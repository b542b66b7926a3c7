import CCairo
import Sightline

/// A Cairo drawing context on a small transparent picture with 32 bits a pixel: 0xAARRGGBB, multiplied by alpha.
///
/// Unsafe code: the canvas is made after the library has been loaded, and destroyed when its only owner goes.
struct CairoContext: ~Copyable {
    let pointer: OpaquePointer
    private let width: Int
    private let height: Int

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

    /// Makes the upper left corner transparent. Parts outside the picture are ignored.
    func clear(width: Int, height: Int) throws(MediaError) {
        let (width, height) = (min(width, self.width), min(height, self.height))
        try withPixels { pixels, pixelsPerRow in
            for row in 0..<height { (pixels + row * pixelsPerRow).update(repeating: 0, count: width) }
        }
    }

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
