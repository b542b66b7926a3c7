import Foundation
import Sightline

/// Draws the marks of annotators onto pictures and frames.
///
/// ```swift
/// var renderer = PictureRenderer()
/// let picture = try renderer.render(AnnotatedScene(objects: detector.objects(in: image)), on: image)
/// try picture.write(to: URL(filePath: "found.png"))
/// ```
///
/// For a stream, keep one renderer, because some annotators remember earlier frames:
///
/// ```swift
/// var renderer = PictureRenderer([TraceAnnotator(), BoxAnnotator(), LabelAnnotator()])
/// for try await analyzed in detector.results(in: video.frames()) {
///     try writer.append(renderer.render(AnnotatedScene(analyzed.result), on: analyzed.frame))
/// }
/// ```
///
/// Blurs are below heat, heat below masks, masks below lines, lines below boxes, and boxes below tags. The order of the annotators does not change this.
public struct PictureRenderer: Sendable {
    /// The annotators, in the order in which they choose places for their tags.
    public var annotators: [any Annotator]

    /// Creates a renderer.
    public init(_ annotators: [any Annotator] = AnnotatorKind.standard.map { $0.makeAnnotator() }) {
        self.annotators = annotators
    }

    /// Draws a scene onto a copy of the upright picture.
    ///
    /// The copy takes three bytes a pixel.
    ///
    /// - Returns: RGB pixels of the upright picture in full size.
    /// - Throws: `MediaError.image` if the picture cannot be decoded; `.drawingFailed`.
    public mutating func render(_ scene: AnnotatedScene, on image: VisionImage) throws(MediaError) -> PixelBuffer {
        let layout = try layout(scene, on: image.size)
        let upright = try image.uprightForDrawing()
        // Upright pixels in memory belong to the caller. Other pixels were made by this call.
        let belongsToCaller = image.storedPixels?.format == .rgb && image.orientation == .up
        var canvas = belongsToCaller ? try PixelCanvas(copying: upright) : PixelCanvas(adopting: upright)
        _ = consume upright
        try layout.draw(on: &canvas, orientation: .up)
        return try canvas.pixels()
    }

    /// Draws a scene onto a copy of a frame.
    ///
    /// Pixels in memory keep their format and orientation: luma and color differences change only under a mark. A coded picture
    /// becomes upright RGB.
    ///
    /// - Returns: the frame with the marks, at the same time and index.
    /// - Throws: `MediaError.image` if the picture cannot be decoded; `.drawingFailed`.
    public mutating func render(_ scene: AnnotatedScene, on frame: VideoFrame) throws(MediaError) -> VideoFrame {
        let image = frame.image
        let layout = try layout(scene, on: image.size)
        var canvas: PixelCanvas
        let orientation: ImageOrientation
        if let pixels = image.storedPixels {
            canvas = try PixelCanvas(copying: pixels)
            orientation = image.orientation
        } else {
            canvas = PixelCanvas(adopting: try image.uprightForDrawing())
            orientation = .up
        }
        try layout.draw(on: &canvas, orientation: orientation)
        let drawn = VisionImage(pixels: try canvas.pixels(), orientation: orientation)
        return VideoFrame(
            image: drawn,
            timestamp: frame.timestamp,
            index: frame.index,
            isDamaged: frame.isDamaged
        )
    }

    /// Shows a frame to the annotators that remember frames, and draws nothing: for one picture of a whole stream.
    ///
    /// - Parameters:
    ///   - scene: the frame's objects and outlines.
    ///   - size: the size of the upright frame.
    /// - Throws: `MediaError`, as for drawing.
    public mutating func observe(_ scene: AnnotatedScene, on size: PixelSize) throws(MediaError) {
        _ = try layout(scene, on: size)
    }

    private mutating func layout(_ scene: AnnotatedScene, on size: PixelSize) throws(MediaError) -> AnnotationLayout {
        var layout = try AnnotationLayout(on: size)
        for index in annotators.indices { annotators[index].annotate(&layout, scene) }
        return layout
    }
}

extension VisionImage {
    fileprivate func uprightForDrawing() throws(MediaError) -> PixelBuffer {
        do throws(ImageError) {
            return try upright()
        } catch {
            throw .image(error)
        }
    }
}
