import Foundation
import Sightline

/// The marks of a picture and their places. Everything lies inside the picture; parts outside it are left out.
///
/// Coordinates are pixels of the upright picture. Lines and text grow with the picture.
public struct AnnotationLayout: Sendable {
    /// A rectangular line around an object, as wide as `lineWidth`, inside the frame.
    struct Box {
        let frame: PixelRect
        let color: AnnotationColor
    }

    /// A filled rectangle with text.
    struct Tag {
        let text: String
        let frame: PixelRect
        let color: AnnotationColor
    }

    /// A line through points with round ends. It may leave the picture.
    struct Line {
        let points: [SIMD2<Double>]
        let width: Double
        let color: AnnotationColor

        /// The area of the line and a pixel around it for its smooth edge.
        var frame: PixelRect {
            guard let first = points.first else { return PixelRect(x: 0, y: 0, width: 0, height: 0) }
            let low = points.reduce(first) { pointwiseMin($0, $1) } - (width / 2 + 1)
            let high = points.reduce(first) { pointwiseMax($0, $1) } + (width / 2 + 1)
            return PixelRect(x: low.x, y: low.y, width: high.x - low.x, height: high.y - low.y)
        }
    }

    /// The size of the upright picture.
    public let size: PixelSize
    /// The width of lines in pixels.
    public let lineWidth: Double
    /// The height of text in pixels.
    public let fontSize: Double
    var blurs: [Blur] = []
    var surfaces: [Surface] = []
    var heat: Heat?
    var fills: [Fill] = []
    private(set) var lines: [Line] = []
    private(set) var boxes: [Box] = []
    private(set) var tags: [Tag] = []
    /// The top of the next tag in the corner; nil if the corner is full.
    private var cornerTop: Double?

    private let picture: PixelRect
    private let text: TextMeasure

    /// The height of text: a fortieth of the picture's shorter side, but at least 12 pixels and at most 160.
    private static func fontSize(for size: PixelSize) -> Double {
        min(max((Double(min(size.width, size.height)) / 40).rounded(), 12), 160)
    }

    /// Creates an empty layout.
    init(on size: PixelSize) throws(MediaError) {
        self.size = size
        picture = PixelRect(size)
        fontSize = Self.fontSize(for: size)
        lineWidth = max((fontSize / 5).rounded(), 1)
        text = try TextMeasure(fontSize: fontSize)
        cornerTop = margin
    }

    /// The space between the picture's edge and the tags in its corner.
    private var margin: Double { min(lineWidth * 2, (min(picture.width, picture.height) / 20).rounded(.down)) }

    /// The space between a tag's edge and its text.
    var padding: Double { max((fontSize / 5).rounded(), 2) }

    /// The distance from a tag's top to the base line of its text.
    var baseline: Double { padding + text.ascent }
}

extension AnnotationLayout {
    /// Adds a blur over a part of the picture.
    public mutating func addBlur(_ frame: PixelRect) {
        if let frame = frame.wholePixels(in: size) { blurs.append(Blur(frame: frame)) }
    }

    /// Adds a box around a part of the picture.
    public mutating func addBox(_ frame: PixelRect, color: AnnotationColor) {
        if let frame = frame.wholePixels(in: size) { boxes.append(Box(frame: frame, color: color)) }
    }

    /// Adds a tag above a part of the picture, or at another edge of that part where it covers no other tag.
    public mutating func addTag(_ caption: String, beside frame: PixelRect, color: AnnotationColor) {
        guard let frame = frame.wholePixels(in: size),
            let (text, tagSize) = fittingTag(caption, maximumWidth: picture.width)
        else { return }
        let candidates = [
            (frame.x, frame.y - tagSize.height),
            (frame.x, frame.y),
            (frame.x, frame.maxY),
            (frame.x, frame.maxY - tagSize.height),
        ]
        let frames = candidates.map { x, y in
            PixelRect(
                x: min(max(x, 0), picture.width - tagSize.width),
                y: min(max(y, 0), picture.height - tagSize.height),
                width: tagSize.width,
                height: tagSize.height
            )
        }
        addTag(text, at: frames, color: color)
    }

    /// Adds a tag with its middle at a point, moved into the picture if it would leave it, and below or above other tags that it would
    /// cover if there is room.
    public mutating func addTag(_ caption: String, at point: PixelPoint, color: AnnotationColor) {
        addTag(caption, at: point, color: color, keepsEnd: false)
    }

    /// Adds a tag with its middle at a point.
    ///
    /// - Parameter keepsEnd: whether a caption that is too long for the picture loses its beginning instead of its end.
    package mutating func addTag(_ caption: String, at point: PixelPoint, color: AnnotationColor, keepsEnd: Bool) {
        guard point.x.isFinite, point.y.isFinite,
            let (text, size) = fittingTag(caption, maximumWidth: picture.width, keepsEnd: keepsEnd)
        else { return }
        let frames = [0, 1, -1, 2, -2, 3, -3].map { step in
            PixelRect(
                x: min(max((point.x - size.width / 2).rounded(), 0), picture.width - size.width),
                y: min(max((point.y + (step - 0.5) * size.height).rounded(), 0), picture.height - size.height),
                width: size.width,
                height: size.height
            )
        }
        addTag(text, at: frames, color: color)
    }

    /// Adds a tag at the first of several places where it covers no other tag, otherwise at the first.
    private mutating func addTag(_ text: String, at frames: [PixelRect], color: AnnotationColor) {
        let free = frames.first { candidate in tags.allSatisfy { $0.frame.intersection(candidate) == nil } }
        guard let place = free ?? frames.first else { return }
        tags.append(Tag(text: text, frame: place, color: color))
    }

    /// Adds a tag in the top left corner, below the tags that are there. A tag for which there is no room is left out, and so are
    /// all later tags.
    public mutating func addTagInCorner(_ caption: String, color: AnnotationColor) {
        guard let top = cornerTop,
            let (text, tagSize) = fittingTag(caption, maximumWidth: picture.width - 2 * margin)
        else { return }
        guard top + tagSize.height <= picture.height else {
            cornerTop = nil
            return
        }
        let frame = PixelRect(x: margin, y: top, width: tagSize.width, height: tagSize.height)
        tags.append(Tag(text: text, frame: frame, color: color))
        cornerTop = top + tagSize.height
    }

    /// Adds a line through points, which may lie outside the picture.
    ///
    /// - Parameters:
    ///   - points: the ends and corners of the line.
    ///   - color: the line's color.
    ///   - width: the line's width in multiples of ``lineWidth``.
    public mutating func addLine(_ points: [PixelPoint], color: AnnotationColor, width: Double = 1) {
        let lineWidth = lineWidth * width
        // A point far outside is pulled in: the line would have more pieces than a picture can show.
        let margin = SIMD2(picture.width, picture.height)
        let usable = points.filter { $0.x.isFinite && $0.y.isFinite }
            .map { SIMD2($0.x, $0.y).clamped(lowerBound: -margin, upperBound: 2 * margin) }
        // Short pieces, so that each covers little more than itself.
        let reach = 16 * lineWidth
        var piece: [SIMD2<Double>] = []
        func isShort(to point: SIMD2<Double>) -> Bool {
            piece.allSatisfy { abs($0.x - point.x) <= reach && abs($0.y - point.y) <= reach }
        }
        for (start, end) in zip(usable, usable.dropFirst()) {
            let steps = max((max(abs(end.x - start.x), abs(end.y - start.y)) / reach).rounded(.up), 1)
            for step in 0..<Int(steps) {
                let from = start + (end - start) * (Double(step) / steps)
                let to = start + (end - start) * (Double(step + 1) / steps)
                if piece.isEmpty || piece.count > 16 || !isShort(to: to) {
                    if piece.count > 1 { lines.append(Line(points: piece, width: lineWidth, color: color)) }
                    piece = [from]
                }
                piece.append(to)
            }
        }
        if piece.count > 1 { lines.append(Line(points: piece, width: lineWidth, color: color)) }
    }

    /// The text, shortened if necessary, and the size of its tag; nil if the picture has no room for it.
    private func fittingTag(
        _ caption: String,
        maximumWidth: Double,
        keepsEnd: Bool = false
    ) -> (String, (width: Double, height: Double))? {
        let height = (text.ascent + text.descent + 2 * padding).rounded(.up)
        guard height <= picture.height,
            let fitting = text.shortened(caption, to: maximumWidth - 2 * padding, keepsEnd: keepsEnd)
        else { return nil }
        return (fitting, ((text.width(of: fitting) + 2 * padding).rounded(.up), height))
    }
}
