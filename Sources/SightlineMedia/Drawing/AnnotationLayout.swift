import Foundation
import Sightline

/// What is drawn on a picture and where, in whole pixels of it. Everything lies inside the picture.
struct AnnotationLayout {
    /// A rectangular line around an object, as wide as `lineWidth`, inwards from its frame.
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

    /// A line through points with round ends, which may leave the picture.
    struct Line {
        let points: [SIMD2<Double>]
        let width: Double
        let color: AnnotationColor

        /// What it covers, and a pixel around that for its smooth edge.
        var frame: PixelRect {
            guard let first = points.first else { return PixelRect(x: 0, y: 0, width: 0, height: 0) }
            let low = points.reduce(first) { pointwiseMin($0, $1) } - (width / 2 + 1)
            let high = points.reduce(first) { pointwiseMax($0, $1) } + (width / 2 + 1)
            return PixelRect(x: low.x, y: low.y, width: high.x - low.x, height: high.y - low.y)
        }
    }

    /// A wish: an object's frame with its caption.
    struct Mark {
        let frame: PixelRect
        let caption: String
        let color: AnnotationColor
    }

    let lineWidth: Double
    let fontSize: Double
    private(set) var lines: [Line] = []
    private(set) var boxes: [Box] = []
    private(set) var tags: [Tag] = []

    private let picture: PixelRect
    private let text: TextMeasure

    /// The height of text for a picture: a fortieth of its shorter side, within what can be read and what makes sense.
    static func fontSize(for size: PixelSize) -> Double {
        min(max((Double(min(size.width, size.height)) / 40).rounded(), 12), 160)
    }

    /// An empty layout.
    init(on size: PixelSize) throws(MediaError) {
        picture = PixelRect(size)
        fontSize = Self.fontSize(for: size)
        lineWidth = max((fontSize / 5).rounded(), 1)
        text = try TextMeasure(fontSize: fontSize)
    }

    /// Boxes with a tag each.
    init(_ marks: [Mark], on size: PixelSize) throws(MediaError) {
        try self.init(on: size)
        add(marks)
    }

    /// Adds boxes with a tag each, above their box where no other tag is.
    mutating func add(_ marks: [Mark]) {
        for mark in marks {
            guard let frame = wholePixels(of: mark.frame) else { continue }
            boxes.append(Box(frame: frame, color: mark.color))
            guard let (caption, tagSize) = fittingTag(mark.caption, maximumWidth: picture.width) else { continue }
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
            let free = frames.first { candidate in tags.allSatisfy { $0.frame.intersection(candidate) == nil } }
            guard let place = free ?? frames.first else { continue }
            tags.append(Tag(text: caption, frame: place, color: mark.color))
        }
    }

    /// Tags one below the other in the top left corner, as many as there is room for.
    init(captions: [(text: String, color: AnnotationColor)], on size: PixelSize) throws(MediaError) {
        try self.init(on: size)
        let margin = min(lineWidth * 2, (min(picture.width, picture.height) / 20).rounded(.down))
        var y = margin
        for (caption, color) in captions {
            guard let (text, tagSize) = fittingTag(caption, maximumWidth: picture.width - 2 * margin) else { continue }
            guard y + tagSize.height <= picture.height else { break }
            let frame = PixelRect(x: margin, y: y, width: tagSize.width, height: tagSize.height)
            tags.append(Tag(text: text, frame: frame, color: color))
            y += tagSize.height
        }
    }

    /// Adds a line, cut into short ones, so that each covers little more than itself.
    mutating func addLine(_ points: [SIMD2<Double>], color: AnnotationColor) {
        // What leads far beyond the picture is pulled in: it would be cut into more pieces than a picture can show.
        let margin = SIMD2(picture.width, picture.height)
        let usable = points.filter { $0.x.isFinite && $0.y.isFinite }
            .map { $0.clamped(lowerBound: -margin, upperBound: 2 * margin) }
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

    /// Adds a tag that has its middle at a point, as far as the picture allows.
    mutating func addTag(_ caption: String, at point: SIMD2<Double>, color: AnnotationColor) {
        guard point.x.isFinite, point.y.isFinite,
            let (text, size) = fittingTag(caption, maximumWidth: picture.width)
        else { return }
        let frame = PixelRect(
            x: min(max((point.x - size.width / 2).rounded(), 0), picture.width - size.width),
            y: min(max((point.y - size.height / 2).rounded(), 0), picture.height - size.height),
            width: size.width,
            height: size.height
        )
        tags.append(Tag(text: text, frame: frame, color: color))
    }

    /// The space between a tag's edge and its text.
    var padding: Double { max((fontSize / 5).rounded(), 2) }

    /// From a tag's top to the text's base line.
    var baseline: Double { padding + text.ascent }

    /// The part of a frame that lies in the picture, widened to whole pixels; nil if nothing does.
    private func wholePixels(of frame: PixelRect) -> PixelRect? {
        guard [frame.x, frame.y, frame.width, frame.height].allSatisfy(\.isFinite),
            let visible = frame.intersection(picture)
        else { return nil }
        let (left, top) = (visible.x.rounded(.down), visible.y.rounded(.down))
        return PixelRect(
            x: left,
            y: top,
            width: visible.maxX.rounded(.up) - left,
            height: visible.maxY.rounded(.up) - top
        )
    }

    /// The text, shortened if need be, and the size of its tag; nil if the picture has no room for it.
    private func fittingTag(_ caption: String, maximumWidth: Double) -> (String, (width: Double, height: Double))? {
        let height = (text.ascent + text.descent + 2 * padding).rounded(.up)
        guard height <= picture.height, let fitting = text.shortened(caption, to: maximumWidth - 2 * padding) else {
            return nil
        }
        return (fitting, ((text.width(of: fitting) + 2 * padding).rounded(.up), height))
    }
}
