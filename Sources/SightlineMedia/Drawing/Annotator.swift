import Foundation
import Sightline

/// Draws what was found onto a picture.
///
/// ```swift
/// let picture = try Annotator().annotate(image, with: detector.objects(in: image))
/// try picture.write(to: URL(filePath: "found.png"))
/// ```
///
/// Lines and text grow with the picture; text stays inside it, and is left out where the picture is too small for it. A
/// label has the same colour in all pictures, out of seven that people with any colour vision can tell apart. Text needs a
/// font with the label's letters.
public struct Annotator: Sendable {
    /// An annotator.
    public init() {}

    /// A copy of the upright picture with a box around each object and a tag with its best label and confidence.
    ///
    /// Takes three bytes a pixel, and little more.
    ///
    /// - Parameters:
    ///   - image: any picture.
    ///   - objects: frames in pixels of the upright picture; parts outside it are not drawn.
    /// - Returns: RGB pixels of the upright picture in full size.
    /// - Throws: `MediaError.image` if the picture cannot be decoded, `.drawingFailed`.
    public func annotate(_ image: VisionImage, with objects: [DetectedObject]) throws(MediaError) -> PixelBuffer {
        let marks = objects.map { object in
            let best = object.labels.first
            let identity = object.id.map { "#\($0) " } ?? ""
            return AnnotationLayout.Mark(
                frame: object.frame,
                caption: identity + Self.caption(best, confidence: best?.confidence ?? object.confidence),
                color: .forIdentity(object.id ?? best?.index ?? 0)
            )
        }
        return try draw(on: image) { size throws(MediaError) in try AnnotationLayout(marks, on: size) }
    }

    /// A copy of the upright picture with its labels and their confidences in the top left corner, the first one on top.
    ///
    /// - Returns: RGB pixels of the upright picture in full size.
    /// - Throws: `MediaError.image` if the picture cannot be decoded, `.drawingFailed`.
    public func annotate(_ image: VisionImage, with labels: [Label]) throws(MediaError) -> PixelBuffer {
        let captions = labels.map {
            (Self.caption($0, confidence: $0.confidence), AnnotationColor.forIdentity($0.index))
        }
        return try draw(on: image) { size throws(MediaError) in try AnnotationLayout(captions: captions, on: size) }
    }

    static func caption(_ label: Label?, confidence: Float) -> String {
        let name = label.map { $0.text.isEmpty ? "class \($0.index)" : $0.text } ?? "object"
        guard (0...1).contains(confidence) else { return name }
        return "\(name) \(Int((confidence * 100).rounded()))%"
    }

    private func draw(
        on image: VisionImage,
        layout: (PixelSize) throws(MediaError) -> AnnotationLayout
    ) throws(MediaError) -> PixelBuffer {
        let layout = try layout(image.size)
        let upright: PixelBuffer
        do throws(ImageError) {
            upright = try image.upright()
        } catch {
            throw .image(error)
        }
        // Upright pixels in memory are given as they are, and are the caller's; others were made for this.
        let isCallers = image.storedPixels?.format == .rgb && image.orientation == .up
        var canvas = isCallers ? try PixelCanvas(copying: upright) : PixelCanvas(adopting: upright)
        _ = consume upright
        try layout.draw(on: &canvas, orientation: .up)
        return try canvas.pixels()
    }
}
